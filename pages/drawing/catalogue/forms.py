"""Forms that propose changes of the vocabulary: what is wrong is said below the field that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import AssistantError, BadVocabulary
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship
from ai_engine.semantics.vocabulary_edits import Edit, EditedKind, Value, value_at
from pages import session
from pages.drawing.escaping import as_html, as_label

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from backend.service import Assistant

_UNITS = ("", "percent", "fraction", "days", "months", "years", "count")
_DRAFT = "catalogue_draft"
_TOLD = "catalogue_told"


def draw_told() -> None:
    """Say once what came of the last click."""
    told = st.session_state.pop(_TOLD, None)
    if told:
        st.html(f'<p class="ba-muted" role="status">{as_html(told)}</p>')


def tell(what: str) -> None:
    """Have something said above the page that is drawn next."""
    st.session_state[_TOLD] = what


def edit_table(assistant: Assistant, dataset: Dataset) -> None:
    """Offer to change what a table is called and dated by."""
    times = ["", *(item.name for item in dataset.fields if item.role == "time")]
    with st.expander("Propose a change of this table", icon=":material/edit:"), _form(f"table_{dataset.name}") as slots:
        said: dict[str, Value] = {
            "label": _line("Name of one row", dataset.label, slots, "label"),
            "description": _line("Description", dataset.description, slots, "description"),
            "synonyms": _words("Also called", dataset.synonyms, slots),
            "default_time": _choice("Dated by", times, dataset.default_time or "", slots, "default_time") or None,
        }
        _submit(assistant, _parts(assistant, "table", dataset.name, said), slots)


def edit_column(assistant: Assistant, dataset: Dataset, item: Field) -> None:
    """Offer to change what a column is called, in which unit it is, and whether it is sensitive."""
    may_open = assistant.changes.permissions.allow(session.visitor())
    name = f"{dataset.name}.{item.name}"
    with st.expander("Propose a change of this column", icon=":material/edit:"), _form(f"column_{name}") as slots:
        said: dict[str, Value] = {
            "label": _line("Name", item.label, slots, "label"),
            "description": _line("Description", item.description, slots, "description"),
            "synonyms": _words("Also called", item.synonyms, slots),
            "unit": _line("Unit (a currency, or percent, days …)", item.unit or "", slots, "unit") or None,
            "value_synonyms": _value_words(item, slots),
            "sensitive": st.checkbox(
                "Sensitive: its values are never shown", item.sensitive, disabled=item.sensitive and not may_open
            ),
        }
        if item.sensitive:
            st.html('<p class="ba-warning">Only editors make a column less sensitive: all see its values then.</p>')
        _submit(assistant, _parts(assistant, "column", name, said), slots)


def edit_metric(assistant: Assistant, metric: Metric | None) -> None:
    """Offer to change or remove a metric, or to add one."""
    title = "Propose a change of this metric" if metric else "Propose a new metric"
    known = metric or Metric("", "", "")
    with st.expander(title, icon=":material/edit:"), _form(f"metric_{known.name}") as slots:
        label = _line("Name", known.label, slots, "label")
        after: dict[str, Value] = {
            "label": label,
            "expression": _line(
                "Computed as, with columns as table.column",
                known.expression,
                slots,
                "expression",
                hint="SUM(accounts.balance)",
            ),
            "description": _line("Description", known.description, slots, "description"),
            "synonyms": _words("Also called", known.synonyms, slots),
            "unit": _line("Unit", known.unit or "", slots, "unit") or None,
            "time_field": _line("Dated by (table.column, or as of now)", known.time_field or "", slots, "time_field")
            or None,
        }
        gone = metric is not None and st.checkbox("Remove this metric")
        name = known.name or "_".join(label.lower().split()) or "metric"
        _submit(assistant, _whole(assistant, "metric", name, None if gone else after), slots)


def edit_relationship(assistant: Assistant) -> None:
    """Offer to change or remove a relationship, or to add one."""
    model = assistant.vocabulary.model
    with st.expander("Propose a change of relationships", icon=":material/edit:"):
        names = [link.name for link in model.relationships]
        chosen = st.selectbox("Relationship", names, index=None, placeholder="A new one", key="edit_link")
        tables = [item.name for item in model.datasets]
        known = model.relationship(chosen) if chosen else Relationship("", tables[0], (), tables[0], ())
        with _form(f"link_{known.name}") as slots:
            start = _choice("Many rows of", tables, known.from_dataset, slots, "from_dataset")
            columns = _words("by the columns", known.from_columns, slots, "from_columns")
            end = _choice("point at one of", tables, known.to_dataset, slots, "to_dataset")
            after = {
                "from_dataset": start, "from_columns": columns, "to_dataset": end,
                "to_columns": _words("with the columns there", known.to_columns, slots, "to_columns"),
                "synonyms": _words("Chosen by the words", known.synonyms, slots),
                "preferred": st.checkbox("Preferred where no word decides", known.preferred),
                "only_where": [list(one) for one in known.only_where],
            }  # fmt: skip
            gone = chosen is not None and st.checkbox("Remove this relationship")
            name = known.name or "_".join((start, *columns, end))
            _submit(assistant, _whole(assistant, "relationship", name, None if gone else after), slots)


class _form:  # noqa: N801 - reads as the call that it stands for
    """A form with a place below each field for what is wrong with it."""

    def __init__(self, key: str) -> None:
        self._form = st.form(key, border=False)

    def __enter__(self) -> dict[str, DeltaGenerator]:
        self._form.__enter__()
        return {}

    def __exit__(self, *raised: object) -> None:
        self._form.__exit__(*raised)  # type: ignore[arg-type]


def _line(label: str, value: str, slots: dict[str, DeltaGenerator], part: str, *, hint: str = "") -> str:
    said = st.text_input(label, value, placeholder=hint)
    slots[part] = st.empty()
    return said.strip()


def _words(label: str, value: Sequence[str], slots: dict[str, DeltaGenerator], part: str = "synonyms") -> list[str]:
    said = _line(f"{label} (by comma)", ", ".join(value), slots, part)
    return [word.strip() for word in said.split(",") if word.strip()]


def _choice(label: str, names: Sequence[str], value: str, slots: dict[str, DeltaGenerator], part: str) -> str:
    said: str = st.selectbox(label, names, index=names.index(value) if value in names else 0)
    slots[part] = st.empty()
    return said


def _value_words(item: Field, slots: dict[str, DeltaGenerator]) -> dict[str, list[str]]:
    known = "\n".join(f"{value}: {', '.join(words)}" for value, words in item.value_synonyms.items())
    said = st.text_area("Other words for its values, a value a line", known, placeholder="NRI: non-resident, overseas")
    slots["value_synonyms"] = st.empty()
    pairs = (line.partition(":") for line in said.splitlines() if ":" in line)
    return {value.strip(): [word.strip() for word in words.split(",") if word.strip()] for value, _, words in pairs}


def _parts(assistant: Assistant, kind: EditedKind, name: str, said: Mapping[str, Value]) -> list[Edit]:
    model = assistant.vocabulary.model
    return [
        Edit(kind, name, part, before, after)
        for part, after in said.items()
        if (before := value_at(model, kind, name, part)) != after
    ]


def _whole(assistant: Assistant, kind: EditedKind, name: str, after: Value) -> list[Edit]:
    before = value_at(assistant.vocabulary.model, kind, name)
    return [Edit(kind, name, "", before, after)] if before != after else []


def _submit(assistant: Assistant, edits: Sequence[Edit], slots: Mapping[str, DeltaGenerator]) -> None:
    """Add the edits to what this visitor proposes, once the button is clicked."""
    fault = st.empty()
    if not st.form_submit_button("Propose", icon=":material/send:"):
        return
    try:
        propose(assistant, edits)
    except BadVocabulary as problem:
        slots.get(problem.field, fault).error(as_label(str(problem).removeprefix(f"{problem.field}: ")))
        return
    except AssistantError as problem:
        fault.error(as_label(problem.user_message))
        return
    tell("Proposed. It waits among the changes until an editor publishes it.")
    st.rerun()


def propose(assistant: Assistant, edits: Sequence[Edit]) -> None:
    """Add edits to the proposal that this visitor has begun in this session, or begin one; raises as the book does."""
    book, who = assistant.changes, session.visitor()
    begun = st.session_state.get(_DRAFT)
    if begun is not None and begun in [one.id for one in book.drafts(who)]:
        book.add_to(begun, edits, who)
    else:
        st.session_state[_DRAFT] = book.propose(edits, "", who).id
