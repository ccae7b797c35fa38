"""The scripted page, sent as the real one is: `streamlit run tests/pages/scripted_server.py`."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from backend.security_headers import PAGE_CONTENT_POLICY, SecurityHeaders

app = st.App(
    Path(__file__).with_name("scripted_app.py"),
    middleware=[Middleware(SecurityHeaders, content_policy=PAGE_CONTENT_POLICY)],
)
