"""The web server: the page of `app.py`, sent with security headers. Start with `make app`."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from backend.security_headers import PAGE_CONTENT_POLICY, SecurityHeaders

app = st.App(
    Path(__file__).with_name("app.py"),
    middleware=[Middleware(SecurityHeaders, content_policy=PAGE_CONTENT_POLICY)],
)
