"""Evidence that tells of a table and its columns in one flowing sentence."""

from __future__ import annotations

import pytest

from ai_engine.semantics.hints import ColumnHint, ConditionHint, TableHint, ValueHint, apply_hints, read_hints
from ai_engine.semantics.infer import infer_vocabulary
from tests.ai_engine.semantics.schemas import catalogue, table

SOCIETY = catalogue(
    table("mbr", "mid int, vn text, st text, ein date, bis date, j96 dec, j97 dec, gj int", key="mid"),
    table("pol", "pid int, mid int, zw text, ab date, rest dec, inh text", key="pid", mid="mbr.mid"),
)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("`mbr` is the member: `vn` first name, `ein` the date of joining.", TableHint("mbr", "member")),
        ("`mbr` is the member: `vn` first name, `ein` the date of joining.", ColumnHint("mbr", "vn", "first name")),
        ("`mbr` is the member: `st` its state, `vn` name.", ColumnHint("mbr", "st", "member state")),
        ("`pol` is the policy (contract): `zw` its purpose.", TableHint("pol", "contract")),
        ("`pol` is a policy of a member: `rest` what is left, and `zw` its purpose", TableHint("pol", "policy")),
        ("`mbr` is the member: `st` the state ('A' active, 'L' left)", ValueHint("mbr", "st", "L", "left")),
        (
            "`pol` is the policy: `ab` the date it was cancelled (NULL while running).",
            ConditionHint(("pol",), "ab IS NULL", "running"),
        ),
        (
            "`pol` says who pays, with `inh` 'P' for its payer and 'Z' for a child.",
            ValueHint("pol", "inh", "P", "payer"),
        ),
        (
            "`mbr` is the member: `j96` the income in percent for 1996 (missing for some), `j97` the same for 1997.",
            ColumnHint("mbr", "j97", "1997 income"),
        ),
        (
            "`pol` is the policy: `zw` how often the fee is charged ('M' monthly, 'J' yearly).",
            ValueHint("pol", "zw", "M", "fee charged monthly"),
        ),
    ],
)
def test_each_column_of_the_sentence_gets_what_is_said_of_it(text, hint):
    hints = read_hints(text, SOCIETY)
    assert hint in (*hints.tables, *hints.columns, *hints.values, *hints.conditions)


def test_a_table_that_lists_those_who_do_something_is_not_called_after_them():
    assert read_hints("`pol` lists the members who stay, `rest` being what is left.", SOCIETY).tables == ()


def test_the_year_of_an_event_is_called_after_what_happened():
    hints = read_hints("`mbr` is the club: `gj` the year it was founded, `vn` its name.", SOCIETY)
    field = apply_hints(infer_vocabulary(SOCIETY), hints).dataset("mbr").field("gj")
    assert {field.label, *field.synonyms} >= {"year founded", "founding year", "founded"}


@pytest.mark.parametrize(
    "text",
    ["Amounts are in marks and names are short.", "`mbr` is dull: `zz` a name.", "`xyz` is a table: `vn` a name."],
)
def test_what_is_said_of_no_table_and_no_column_of_its_own_gives_no_words(text):
    hints = read_hints(text, SOCIETY)
    assert not hints.columns
    assert not hints.phrases
