"""The least page that shows a step, a sentence and a chart: what the server, the browser and the machine take alone."""

import plotly.graph_objects as go
import streamlit as st

asked = st.session_state.setdefault("asked", 0)
turns = st.container()
question = st.chat_input("Ask")
if question:
    with turns, st.container(key=f"turn_{asked}"):
        st.status("Working")
        st.html(f'<p class="ba-answer">{len(question)}</p>')
        st.plotly_chart(go.Figure(go.Bar(x=list(range(12)), y=list(range(12)))))
    st.session_state["asked"] += 1
