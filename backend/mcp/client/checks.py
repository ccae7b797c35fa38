"""Values against JSON schemas that a stranger wrote: within a time, no pattern that runs away, nothing fetched."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from backend.mcp.client.cleaning import clean_line

_MAX_CHECK_S = 0.5
_MAX_WORDS = 200
_deadline: ContextVar[float] = ContextVar("deadline", default=0.0)

_Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


class CheckFailed(ValueError):
    """A value does not fit its schema, or the schema cannot be used; says where, without quoting the value."""


def check_value(value: Any, schema: dict[str, Any]) -> None:
    """See that a value fits; blocks for at most half a second.

    Raises:
        CheckFailed: it does not, or the schema is none, refers to elsewhere, or takes too long.
    """
    made = Draft7Validator if "draft-07" in str(schema.get("$schema", "")) else Draft202012Validator
    token = _deadline.set(time.monotonic() + _MAX_CHECK_S)
    try:
        made.check_schema(schema, format_checker=None)
        fault = next(_bounded(made)(schema, registry=Registry()).iter_errors(value), None)
    except SchemaError:
        raise CheckFailed("the schema is not a valid JSON schema") from None
    except Unresolvable:
        raise CheckFailed("the schema refers to what it does not hold") from None
    except RecursionError:
        raise CheckFailed("the schema goes in circles") from None
    finally:
        _deadline.reset(token)
    if fault is not None:
        raise CheckFailed(_words(fault))


def _words(fault: ValidationError) -> str:
    """Tell place and rule; the value itself is not repeated."""
    place = clean_line(".".join(str(part) for part in fault.absolute_path), _MAX_WORDS) or "the whole"
    if fault.validator == "required":
        missing = [name for name in fault.validator_value if name not in fault.instance]
        return f"{place}: lacks {clean_line(', '.join(map(str, missing)), _MAX_WORDS)}"
    rule = clean_line(json.dumps(fault.validator_value, default=str), _MAX_WORDS)
    return f"{place}: does not fit {clean_line(str(fault.validator), _MAX_WORDS)} {rule}"


@lru_cache(maxsize=4)
def _bounded(made: Any) -> Any:
    """A validator whose every step looks at the clock."""
    kept = {name: _timed(keyword) for name, keyword in made.VALIDATORS.items()}
    kept |= {"pattern": _timed(_pattern), "patternProperties": _timed(_pattern_properties)}
    kept |= {"uniqueItems": _timed(_unique_items), "additionalProperties": _timed(_additional_properties)}
    kept.pop("unevaluatedItems", None)
    kept.pop("unevaluatedProperties", None)  # they match patterns of their own, which would run in Python's engine
    # a fresh set of keywords: what was popped must not come back
    return extend(made, {**dict.fromkeys(made.VALIDATORS, _nothing), **kept})


def _timed(keyword: _Keyword) -> _Keyword:
    def check(validator: Any, rule: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        if time.monotonic() > _deadline.get():
            raise CheckFailed("it takes too long to check")
        yield from keyword(validator, rule, value, schema) or ()

    return check


def _nothing(_validator: Any, _rule: Any, _value: Any, _schema: Any) -> None:
    return None


def _matches(pattern: str, text: str) -> bool:
    """Search in time that grows with the text alone; a pattern that such an engine cannot say is no rule."""
    try:
        return bool(pc.match_substring_regex(pa.scalar(text), pattern).as_py())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        return True


def _pattern(validator: Any, rule: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "string") and not _matches(rule, value):
        yield ValidationError("pattern")


def _pattern_properties(validator: Any, rule: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        for pattern, inner in rule.items():
            for name, part in value.items():
                if _matches(pattern, name):
                    yield from validator.descend(part, inner, path=name, schema_path=pattern)


def _additional_properties(validator: Any, rule: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    patterns = schema.get("patternProperties", {})
    for name, part in value.items():
        if name in schema.get("properties", {}) or any(_matches(pattern, name) for pattern in patterns):
            continue
        if validator.is_type(rule, "object"):
            yield from validator.descend(part, rule, path=name)
        elif rule is False:
            yield ValidationError("additionalProperties")


def _unique_items(validator: Any, rule: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    if rule and validator.is_type(value, "array"):
        written = {json.dumps(part, sort_keys=True, default=str) for part in value}
        if len(written) < len(value):
            yield ValidationError("uniqueItems")
