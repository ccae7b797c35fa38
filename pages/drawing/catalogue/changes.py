"""What waits to be published, each with its difference; what was published, to go back to; and the file of it all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.catalogue import names_in
from ai_engine.errors import AssistantError
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.semantics.vocabulary_edits import Edit, Value, conflicts
from backend.renewal import trying
from backend.store.vocabulary_changes import VocabularyChange
from pages import session, source
from pages.drawing.answer import said_html
from pages.drawing.catalogue.forms import tell
from pages.drawing.escaping import as_html, as_label
from pages.drawing.states import draw_empty, draw_failed

if TYPE_CHECKING:
    from backend.service import Assistant

_SHOWN_VERSIONS = 20


def draw_changes(assistant: Assistant) -> None:
    """Draw drafts, what the file says otherwise, and versions."""
    who, book = session.visitor(), assistant.changes
    may = book.permissions.allow(who)
    closed = _closed_for(assistant, may=may)
    try:
        drafts, versions = book.drafts(who), book.versions()
        under = book.changed_under()
    except AssistantError as fault:
        draw_failed(fault.user_message)
        return
    if not may:
        st.html(
            '<p class="ba-muted">You see your own proposals. Editors publish; whoever runs this app names them.</p>'
        )
    for edit, now in under:
        _draw_under(assistant, edit, now, closed, may=may)
    if not drafts:
        draw_empty("Nothing waits", "Propose a change at a table, column, metric or relationship, or teach a word.")
    for draft in drafts:
        _draw_draft(assistant, draft, closed, may=may)
    st.html('<h2 class="ba-thing">Versions</h2>')
    st.download_button(
        "Vocabulary file (OSI YAML)", partial(_vocabulary_file, source.opener()), "vocabulary.yaml",
        "application/yaml", icon=":material/download:", key="export_vocabulary",
    )  # fmt: skip
    for place, version in enumerate(versions[:_SHOWN_VERSIONS]):
        _draw_version(assistant, version, closed, is_latest=not place, may=may)
    if versions and versions[0].published and may:
        _action("Back to the bank's file alone", "back_0", lambda: book.roll_back(0, who), "Done.")
    if not versions:
        st.html('<p class="ba-muted">Nothing was published yet: the bank\'s file is in force as it is.</p>')


def differences_html(edits: Iterable[Edit], closed: Collection[str]) -> str:
    """Write edits as a table: place, what stood there, what is to stand there; loudly where a column is opened.

    `closed` are the columns of which nothing is shown that may name a value, as `table.column`, and whole tables.
    """
    rows = "".join(
        f"<tr><th scope='row'>{as_html(_place(edit))}</th><td><del>{as_html(_shown(edit, edit.before, closed))}</del>"
        f"</td><td><ins>{as_html(_shown(edit, edit.after, closed))}</ins></td></tr>"
        for edit in edits
    )
    opened = [edit.name for edit in edits if edit.opens]
    loud = f'<p class="ba-problem" role="alert">Opens to everybody: {as_html(", ".join(opened))}</p>' if opened else ""
    return (
        f'{loud}<div class="ba-scroll" tabindex="0" role="group" aria-label="Differences"><table class="ba-rows-of">'
        f"<thead><tr><th>Of</th><th>Until now</th><th>Then</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _vocabulary_file(opened_now: Callable[[], Assistant]) -> bytes:
    return dump_vocabulary(opened_now().vocabulary.model).encode()


def _draw_draft(assistant: Assistant, draft: VocabularyChange, closed: Collection[str], *, may: bool) -> None:
    book, who, key = assistant.changes, session.visitor(), draft.id
    with st.container(border=True, key=f"draft_{key}"):
        st.html(
            f"<p><b>{as_html(draft.note or 'Proposed change')}</b></p>"
            f'<p class="ba-muted">{as_html(draft.author)}, {draft.saved_at:%d %B %Y, %H:%M} UTC</p>'
            f"{differences_html(draft.edits, closed)}"
        )
        with st.form(f"try_{key}", border=False):
            question = st.text_input("Ask with this draft", key=f"try_question_{key}")
            tried = st.form_submit_button("Try it", icon=":material/play_arrow:")
        if tried and question.strip():
            _draw_tried(assistant, draft, question)
        with st.container(horizontal=True):
            if may:
                _action("Publish", f"publish_{key}", lambda: _publish(assistant, draft), "Published, and in force.")
                if conflicts(draft.edits, assistant.vocabulary.model):
                    _action(
                        "Put over what was published since", f"insist_{key}", lambda: book.insist(draft.id, who), ""
                    )
            _action("Discard", f"discard_{key}", lambda: book.discard(draft.id, who), "Discarded.")


def _publish(assistant: Assistant, draft: VocabularyChange) -> None:
    assistant.changes.publish(draft.id, session.visitor())
    assistant.unknown_words.forget(edit.name for edit in draft.edits if edit.kind == "word")


def _draw_tried(assistant: Assistant, draft: VocabularyChange, question: str) -> None:
    """Answer one question with the draft, beside the answer without it."""
    try:
        changed = trying(assistant, draft.edits)
    except AssistantError as fault:
        draw_failed(fault.user_message)
        return
    for name, one in (("With this draft", changed), ("As it is now", assistant)):
        answer = one.ask(question, who=session.visitor())
        st.html(f'<p class="ba-muted">{name}</p>')
        if answer.status != "answered":
            draw_failed(answer.error or "")
            continue
        assumed = "".join(f'<p class="ba-note">Assumed: {as_html(said)}</p>' for said in answer.assumptions)
        st.html(said_html(answer.summary, answer.headline) + assumed)


def _draw_version(
    assistant: Assistant, version: VocabularyChange, closed: Collection[str], *, is_latest: bool, may: bool
) -> None:
    book, who, number = assistant.changes, session.visitor(), version.number or 0
    title = f"Version {number}: {version.note or 'change'}" + (" (in force)" if is_latest else "")
    with st.expander(as_label(title), key=f"version_{number}"):
        st.html(
            f'<p class="ba-muted">Proposed by {as_html(version.author)}, published by {as_html(version.ended_by)}, '
            f"{version.ended_at or version.saved_at:%d %B %Y, %H:%M} UTC</p>"
            f"{differences_html(version.edits, closed)}"
        )
        if may and not is_latest:
            _action("Back to this version", f"back_{number}", lambda: book.roll_back(number, who), "In force again.")


def _draw_under(assistant: Assistant, edit: Edit, now: Value, closed: Collection[str], *, may: bool) -> None:
    """Show one place at which the file has changed since something else was published over it."""
    book, who = assistant.changes, session.visitor()
    key = "_".join(edit.place)
    with st.container(border=True, key=f"under_{key}"):
        st.html(
            f'<p class="ba-warning">The file has changed since: {as_html(_place(edit))}</p><table class="ba-facts">'
            f"<tr><th scope='row'>The file then</th><td>{as_html(_shown(edit, edit.before, closed))}</td></tr>"
            f"<tr><th scope='row'>The file now</th><td>{as_html(_shown(edit, now, closed))}</td></tr>"
            f"<tr><th scope='row'>Published, in force</th><td>{as_html(_shown(edit, edit.after, closed))}</td></tr>"
            "</table>"
        )
        if may:
            with st.container(horizontal=True):
                _action("Take the file's", f"file_{key}", lambda: book.settle(edit.place, who, by_file=True), "Taken.")
                _action(
                    "Keep the published", f"keep_{key}", lambda: book.settle(edit.place, who, by_file=False), "Kept."
                )  # fmt: skip


def _action(label: str, key: str, do: Callable[[], object], told: str) -> None:
    def click() -> None:
        try:
            do()
            tell(told)
        except AssistantError as fault:
            tell(fault.user_message)

    st.button(label, key=key, on_click=click)


def _place(edit: Edit) -> str:
    return " ".join(part for part in (edit.kind, edit.name, edit.part.replace("_", " ")) if part)


def _closed_for(assistant: Assistant, *, may: bool) -> frozenset[str]:
    """The columns, and the tables whole, that may not be read today; none for an editor, who sees what is published."""
    if may:
        return frozenset()
    policy, model = assistant.policy, assistant.vocabulary.model
    names = {one.name: names_in(one.source)[-1].lower() for one in model.datasets}
    tables = {*policy.hidden_tables, *(one for one in names.values() if not _is_allowed(one, assistant))}
    closed = {*tables, *(f"{table}.{column}" for table, held in policy.restricted_columns.items() for column in held)}
    for dataset in model.datasets:
        table = names[dataset.name]
        restricted = policy.restricted_columns.get(table, frozenset())
        for item in dataset.fields:
            if table in tables or item.sensitive or restricted & _words(item.expression):
                closed.add(f"{dataset.name}.{item.name}".lower())
        closed |= {dataset.name.lower()} if table in tables else set()
    return frozenset(closed)


def _is_allowed(table: str, assistant: Assistant) -> bool:
    policy = assistant.policy
    return table not in policy.hidden_tables and (policy.allowed_tables is None or table in policy.allowed_tables)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _may_name_values(edit: Edit, value: Value, closed: Collection[str]) -> bool:
    """Tell whether an edit is of a closed column or table, or of something computed of one, which may compare it."""
    name = edit.name.lower()
    if name.partition(".")[0] in closed:
        return True
    if edit.kind == "column":
        return name in closed and edit.part != "sensitive"
    said = _words(json.dumps(value, ensure_ascii=False))
    return any(one.rpartition(".")[2] in said for one in closed)


def _shown(edit: Edit, value: Value, closed: Collection[str]) -> str:
    if _may_name_values(edit, value, closed):
        return "not shown"
    if value is None or value in ("", [], {}):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
