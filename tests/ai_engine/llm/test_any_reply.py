"""Whatever a language model replies in the shape of JSON ends in a reading or in a complaint."""

from __future__ import annotations

import json
from random import Random

from ai_engine.errors import ModelFailed
from ai_engine.llm.checked_reading import CheckedReading
from ai_engine.llm.repairing import ask_and_repair
from ai_engine.llm.replies import IntentReply
from ai_engine.prompts.loader import Messages
from ai_engine.semantics.values import FoundValues
from tests.ai_engine.built_in.bank import vocabulary

BANK = vocabulary()
REPLIES = 500
SCHEMA = IntentReply.model_json_schema()
DATASETS = [dataset.name for dataset in BANK.model.datasets]
FIELDS = [f"{dataset.name}.{field.name}" for dataset in BANK.model.datasets for field in dataset.fields]
GRAINS = ("month", "year", "week", "quarter", "age_years", "weekday", "fiscal_year", "xx")
DAYS = ("2026-01-01", "2026-12-31", "1000-01-01", "9998-12-31", "0001-01-01", "9999-12-31", "2024-02-29")
NUMBERS = (0, 1, 2, 3, 12, -1, 0.5, 0.9, 10**9, 10**9 + 1, 10**19, 10**41, 1e308, 9e99, 1e-320, 1e40)
ODD = (*NUMBERS, *DAYS, None, True, float("nan"), float("inf"), "", "x", "\ud800", "\0", "1e400", "١٢", "a" * 300)


class Replies:
    """Writes values for a JSON schema, some of them of any other kind."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.noise = self.random.choice((0, 0.005, 0.05))

    def value(self, schema, name="", depth=0):
        pick = self.random.choice
        if self.random.random() < self.noise:
            return pick([pick(ODD), [pick(ODD)], {pick(("any", "dataset", "field")): pick(ODD)}])
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
        choices = [one for one in schema.get("anyOf") or schema.get("oneOf") or () if one.get("type") != "null"]
        if choices:
            return None if depth > 4 else self.value(pick(choices), name, depth)
        if "enum" in schema:
            return pick(schema["enum"])
        kind = schema.get("type")
        if "properties" in schema:
            wanted = {part for part in schema["properties"] if self.random.random() < (0.4 if depth < 2 else 0.15)}
            kept = wanted | set(schema.get("required", ()))
            return {part: self.value(schema["properties"][part], part, depth + 1) for part in sorted(kept)}
        if kind == "array":
            return [self.value(schema.get("items", {}), name, depth) for _ in range(pick((0, 1, 1, 2)))]
        if kind == "string":
            return self.text(schema, name)
        return pick(NUMBERS) if kind in {"integer", "number"} else pick((True, False))

    def text(self, schema, name):
        if schema.get("format") == "date":
            return self.random.choice(DAYS)
        if name in {"dataset", "subject"}:
            return self.random.choice(DATASETS)
        if name == "metric":
            return self.random.choice([metric.name for metric in BANK.model.metrics])
        grain = self.random.choice(("", "", f" by {self.random.choice(GRAINS)}"))
        return self.random.choice(FIELDS) + grain


def test_any_reply_gives_a_reading_or_is_complained_about():
    seen = {"read": 0, "given up": 0}
    for seed in range(REPLIES):
        question = {"$ref": "#/$defs/StructuredQuestion"}
        reply = {"outcome": "query", "restatement": "x y", "intent": Replies(seed).value(question)}
        text = json.dumps(reply if seed % 10 else Replies(seed).value(SCHEMA))
        reading = CheckedReading("total balance by region", (), BANK, FoundValues())
        try:
            ask_and_repair(lambda *_, said=text: said, Messages("", "", 0), IntentReply, reading.make)
            seen["read"] += 1
        except ModelFailed:
            reading.instead()
            seen["given up"] += 1
    assert min(seen.values()) > 0
