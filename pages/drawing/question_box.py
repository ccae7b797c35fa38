"""What the browser does for the question box beyond what Streamlit does: focus, recalled questions, nothing lost."""

from __future__ import annotations

import streamlit as st

_BOX = """<script>
if (!window.keepsQuestions) {
  window.keepsQuestions = true;
  const BOX = '[data-testid="stChatInputTextArea"]';
  const write = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
  const isBusy = () => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running";
  const put = (box, text) => {
    write.call(box, text);
    box.dispatchEvent(new Event("input", {bubbles: true}));
    box.setSelectionRange(text.length, text.length);
  };
  let back = 0, waiting = null;
  const sendOnceReady = () => {
    const box = document.querySelector(BOX);
    if (!box?.value.trim()) waiting = clearInterval(waiting);
    else if (!isBusy()) {
      waiting = clearInterval(waiting);
      document.querySelector('[data-testid="stChatInputSubmitButton"]')?.click();
    }
  };
  document.addEventListener("keydown", event => {
    const box = event.target;
    if (!box.matches?.(BOX)) return;
    const isBlank = !box.value.trim();
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && (isBlank || isBusy())) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!isBlank) waiting ??= setInterval(sendOnceReady, 100);
      return;
    }
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const asked = [...document.querySelectorAll(".ba-question")].map(element => element.textContent);
    if (back && box.value !== asked.at(-back)) back = 0;
    if (!back && (box.value || event.key === "ArrowDown")) return;
    const next = back + (event.key === "ArrowUp" ? 1 : -1);
    if (next > asked.length) return;
    event.preventDefault();
    back = next;
    put(box, back ? asked.at(-back) : "");
  }, true);
  let calm = 0, tries = 600;
  const focusing = setInterval(() => {
    const box = document.querySelector(BOX), active = document.activeElement ?? document.body;
    if (active !== document.body) calm++;
    else if (matchMedia("(min-width: 769px) and (hover: hover)").matches) box?.focus({preventScroll: true});
    if (calm > 10 || tries-- === 0) clearInterval(focusing);
  }, 100);
}
</script>"""
"""Streamlit's box sends blanks too, and while an answer is being made, which stops it: Enter waits instead."""


def attend_question_box() -> None:
    """Send the script, once per page load."""
    st.html(_BOX, unsafe_allow_javascript=True)
