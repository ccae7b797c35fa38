"""What a prompt tells of the conversation: the last turn in the form of a reply, older ones in a line each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ai_engine.llm.told_vocabulary import tells_values
from ai_engine.model_use import is_typed
from ai_engine.semantics.intent import Condition, FieldRef, Intent, parts_of
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import words
from ai_engine.types import Turn

_OLDER_TURNS = 5
_LONGEST_LINE_CHARS = 300
_NONE = "(none)"
_IN_REPLY = frozenset({"dataset", "field", "via", "grain", "since"})


def turns_told(history: Sequence[Turn], vocabulary: Vocabulary) -> tuple[Turn, ...]:
    """Keep of a turn only what was asked where it was understood by a name that nobody typed: rules complete names."""

    def names_more(turn: Turn) -> bool:
        conditions = parts_of(turn.intent, Condition) if turn.intent is not None else ()
        named = [one for one in conditions if is_of_names(one.field, vocabulary)]
        return not all(is_typed(words(value)) for one in named for value in one.values if isinstance(value, str))

    return tuple(Turn(one.question, "", outcome=one.outcome) if names_more(one) else one for one in history)


def is_of_names(ref: FieldRef, vocabulary: Vocabulary) -> bool:
    """Tell whether a field of a text has names or keys, which a model is told only where somebody typed them."""
    model = vocabulary.model
    if ref.dataset not in {one.name for one in model.datasets} or not model.dataset(ref.dataset).has(ref.field):
        return True
    item = model.dataset(ref.dataset).field(ref.field)
    return item.type == "text" and not tells_values(item)


def describe_history(history: Sequence[Turn]) -> str:
    """Tell what was asked, how it was understood and what came of it."""
    if not history:
        return _NONE
    understood = max((place for place, turn in enumerate(history) if turn.outcome != "refused"), default=-1)
    last = history[understood]
    older = [_line(turn) for turn in history[:understood][-_OLDER_TURNS:]]
    told = [f"asked: {last.question}", f"understood: {last.restatement}", f"outcome: {last.outcome}"]
    told += [f"asked back, with the choices: {' | '.join(last.choices)}"] if last.choices else []
    told += [f"assumed: {' '.join(last.assumptions)}"] if last.assumptions else []
    told += [f"intent: {intent_as_reply(last.intent)}"] if last.intent is not None else []
    told += [f"then asked, and refused: {turn.question}"[:_LONGEST_LINE_CHARS] for turn in _after(history, understood)]
    return "\n".join([*older, *told])


def _after(history: Sequence[Turn], understood: int) -> Sequence[Turn]:
    return history[understood + 1 :][-_OLDER_TURNS:] if understood >= 0 else ()


def intent_as_reply(intent: Intent) -> str:
    """Write an intent as a model is to write it: nothing that says nothing, fields in one text."""
    kept = intent.model_dump(mode="json", exclude_defaults=True)
    if isinstance(kept.get("period"), dict):
        kept["period"].pop("until", None)  # what the data covers is looked up anew
    measures = kept.get("measures", [])
    for part in (*kept.get("having", ()), *kept.get("order", ())):
        if part.get("measure") in measures:
            part["measure"] = measures.index(part["measure"]) + 1
    return json.dumps(_as_reply(kept), ensure_ascii=False, separators=(",", ":"))


def _line(turn: Turn) -> str:
    return f"earlier: {turn.question} -> {turn.restatement} ({turn.outcome})"[:_LONGEST_LINE_CHARS]


def _as_reply(part: Any) -> Any:
    if isinstance(part, list):
        return [_as_reply(one) for one in part]
    if not isinstance(part, dict):
        return part
    if {"dataset", "field"} <= part.keys() <= _IN_REPLY:
        return _field(part)
    kept = {name: _as_reply(one) for name, one in part.items() if name != "kind"}
    if "filters" in kept:
        kept["filters"] = [{"any": one["filters"]} if one.keys() == {"filters"} else one for one in kept["filters"]]
    return kept


def _field(part: dict[str, Any]) -> str:
    grain = f" by {part['grain']}" if part.get("grain") else ""
    since = f" since {part['since']['dataset']}.{part['since']['field']}" if part.get("since") else ""
    via = f" via {', '.join(part['via'])}" if part.get("via") else ""
    return f"{part['dataset']}.{part['field']}{grain}{since}{via}"
