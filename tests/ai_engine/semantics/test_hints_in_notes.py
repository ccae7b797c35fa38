"""Evidence as a page of notes: bullets, headings, lists and drawn tables of codes, keys that nobody declared."""

from __future__ import annotations

import pytest

from ai_engine.semantics.hints import LinkHint, TableHint, apply_hints, read_hints
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import ColumnValues, ValueIndex
from tests.ai_engine.semantics.schemas import catalogue, table

EXPORT = catalogue(
    table("mbr_mst", "mbr_no int, mbr_nm text, mbr_st_cd text, vrf_cd text, nom_flg text", key="mbr_no"),
    table(
        "dep_mst", "dep_no int, mbr_no int, dep_st_cd text, dep_os_amt dec, freq_cd text, pay_dep_no int", key="dep_no"
    ),
    table("case_reg", "case_no int, mbr_no int, case_st_cd text, comp_amt dec, hndl_stf_no int", key="case_no"),
    table("stf_mst", "stf_no int, stf_nm text, mgr_stf_no int", key="stf_no"),
    table("freq_mst", "freq_cd text, dys int", key="freq_cd"),
)


def values(text: str) -> set[tuple[str | None, str | None, str, str]]:
    hints = read_hints(text, EXPORT)
    return {(hint.table, hint.column, hint.value, hint.phrase) for hint in hints.values}


@pytest.mark.parametrize(
    "text",
    [
        "- `mbr_mst.mbr_st_cd`: 'A' active, 'C' closed.",
        "* `mbr_st_cd`: 'A' active, 'C' closed",
        "1. mbr_st_cd: 'A' = active; 'C' = closed",
        "`mbr_st_cd`: A = active, C = closed",
        "mbr_st_cd: A: active, C: closed",
        "mbr_st_cd: A - active / C - closed",
        "mbr_st_cd (A=active, C=closed)",
        "`mbr_st_cd` ('A' active, 'C' closed)",
        "mbr_st_cd is 'A' for active, 'C' for closed",
        "**mbr_st_cd**: A = active | C = closed",
        "mbr_st_cd: A → active, C → closed",
        "mbr_st_cd = A (active), C (closed)",
        "mbr_st_cd: 'A' (active), 'C' (closed)",
        "mbr_st_cd can be A (active) or C (closed)",
        "mbr_st_cd takes the values 'A' (active) and 'C' (closed)",
        "mbr_st_cd: Active (A), Closed (C)",
        "mbr_st_cd: A=active; C=closed; default A",
        "- **mbr_st_cd** — A: active; C: closed",
        "mbr_st_cd: {A: active, C: closed}",
        "Values of `mbr_st_cd`: 'A' active and 'C' closed",
        "- `mbr_st_cd`:\n  - A: active\n  - C: closed",
        "## mbr_mst\n- `mbr_st_cd`: 'A' active, 'C' closed",
        "- `mbr_mst.vrf_cd` is for internal use; `mbr_st_cd`: 'A' active, 'C' closed",
        "| mbr_st_cd | meaning |\n|---|---|\n| A | active |\n| C | closed |",
        "Codes of `mbr_st_cd`:\n\n| code | meaning |\n|---|---|\n| A | active |\n| `C` | closed |",
        "| column | code | meaning |\n|---|---|---|\n| mbr_st_cd | A | active |\n| | C | closed |",
        "| table | column | value | description |\n|--|--|--|--|\n| mbr_mst | mbr_st_cd | 'A' | active |\n"
        "| mbr_mst | mbr_st_cd | 'C' | closed |",
    ],
)
def test_codes_are_read_in_every_common_form_of_a_list(text: str):
    assert {("mbr_mst", "mbr_st_cd", "A", "active"), ("mbr_mst", "mbr_st_cd", "C", "closed")} <= values(text)


def test_a_column_said_after_another_is_of_the_same_table():
    said = values("- `dep_mst.dep_st_cd`: 'A' active, 'N' dormant; `freq_cd`: 'W' weekly, 'M' monthly.")
    assert {("dep_mst", "dep_st_cd", "N", "dormant"), ("dep_mst", "freq_cd", "W", "weekly")} <= said
    assert ("dep_mst", "freq_cd", "M", "monthly") in values("## dep_mst\n\n- `freq_cd`: 'W' weekly, 'M' monthly")


def test_one_row_per_thing_says_what_the_rows_are():
    assert read_hints("- dep_mst – one row per deposit", EXPORT).tables == (TableHint("dep_mst", "deposit"),)


@pytest.mark.parametrize("text", ["nom_flg: Y/N", "nom_flg (Y/N) tells whether the member has a nominee"])
def test_the_codes_of_a_mark_are_no_name_for_it(text: str):
    assert not any("/" in hint.phrase or "tells" in hint.phrase for hint in read_hints(text, EXPORT).columns)


def test_a_bullet_ends_where_the_next_begins_and_goes_on_where_its_line_is_broken():
    hints = read_hints("- `dep_os_amt` the amount\n  outstanding\n- `case_st_cd`: 'O' open,\n  'R' resolved", EXPORT)
    assert {hint.phrase for hint in hints.columns} == {"amount outstanding"}
    assert {hint.phrase for hint in hints.values} == {"open", "resolved"}


def test_an_acronym_behind_the_words_says_them_too_and_a_remark_does_not():
    said = values("- `dep_st_cd`: 'N' non-performing (NPA), 'E' escalated (not closed yet), 'P' paid (or settled)")
    assert {phrase for *_, phrase in said} == {"non-performing", "npa", "escalated", "paid", "settled"}


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("`nom_flg` is 'Y' when the member has a nominee and 'N' when it has not", "nominee"),
        ("- `nom_flg` is 'Y' when the member was later suspended.", "suspended"),
        ("`mbr_mst.nom_flg` = 'Y' if the member has been verified, 'N' otherwise", "verified"),
        ("`nom_flg`: Y if the member is insured, N if not", "insured"),
        ("`nom_flg` is 'Y' if the member opted in to mails", "opted in to mails"),
    ],
)
def test_a_mark_says_what_it_is_set_for(text: str, phrase: str):
    assert values(text) == {("mbr_mst", "nom_flg", "Y", phrase)}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "- `dep_st_cd`: 'A' active, 'C' closed; `dep_os_amt` the outstanding amount.",
            ("dep_os_amt", "outstanding amount"),
        ),
        ("- `comp_amt` is the compensation paid to the member", ("comp_amt", "compensation paid to the member")),
        (
            "| column | meaning |\n|---|---|\n| `dep_os_amt` | outstanding amount |",
            ("dep_os_amt", "outstanding amount"),
        ),
    ],
)
def test_a_column_of_a_page_gets_its_name(text: str, hint: tuple[str, str]):
    assert hint in {(item.column, item.phrase) for item in read_hints(text, EXPORT).columns}


def test_a_compensation_paid_to_somebody_is_a_compensation():
    model = apply_hints(
        infer_vocabulary(EXPORT), read_hints("- `comp_amt` is the compensation paid to the member", EXPORT)
    )
    field = model.dataset("case_reg").field("comp_amt")
    assert {"compensation", "compensation paid"} <= {field.label, *field.synonyms}


def test_a_heading_names_a_table_and_a_table_of_figures_is_not_called_after_them():
    assert read_hints("## case_reg (complaint)\n- `case_st_cd`: 'O' open, 'R' resolved", EXPORT).tables == (
        TableHint("case_reg", "complaint"),
    )
    assert read_hints("- `dep_mst` holds the end-of-day balance of each member", EXPORT).tables == ()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "- `dep_mst.pay_dep_no` is the deposit (`dep_mst.dep_no`) into which the money goes",
            LinkHint("dep_mst", "pay_dep_no", "dep_mst", "dep_no"),
        ),
        (
            "`case_reg.hndl_stf_no` is the employee (`stf_mst.stf_no`) who handles the complaint",
            LinkHint("case_reg", "hndl_stf_no", "stf_mst", "stf_no", ("handler",)),
        ),
        (
            "`case_reg.hndl_stf_no` is the employee (`stf_mst.stf_no`) who opened it",
            LinkHint("case_reg", "hndl_stf_no", "stf_mst", "stf_no", ("opened by",)),
        ),
        ("`stf_mst.mgr_stf_no` is the employee's manager", LinkHint("stf_mst", "mgr_stf_no", None, None, ("manager",))),
        (
            "`case_reg.mbr_no` is the member (`mbr_mst.mbr_no`) which holds the case",
            LinkHint("case_reg", "mbr_no", "mbr_mst", "mbr_no"),
        ),
        ("case_reg.mbr_no references mbr_mst.mbr_no", LinkHint("case_reg", "mbr_no", "mbr_mst", "mbr_no")),
        ("`case_reg.mbr_no` = `mbr_mst.mbr_no`", LinkHint("case_reg", "mbr_no", "mbr_mst", "mbr_no")),
        ("case_reg.mbr_no is a foreign key to mbr_mst.mbr_no", LinkHint("case_reg", "mbr_no", "mbr_mst", "mbr_no")),
        ("- `case_reg.mbr_no` → `mbr_mst.mbr_no`", LinkHint("case_reg", "mbr_no", "mbr_mst", "mbr_no")),
    ],
)
def test_a_key_is_told_with_the_role_it_plays(text: str, hint: LinkHint):
    assert read_hints(text, EXPORT).links == (hint,)


def test_told_keys_join_and_known_ones_get_their_role():
    bare = catalogue(
        table("visit", "visit_no int, seen int", key="visit_no"), table("adviser", "a_no int, a_nm text", key="a_no")
    )
    text = "`visit.seen` is the adviser (`adviser.a_no`) who receives the client"
    for told in (text, "adviser.a_no = visit.seen"):
        (link,) = apply_hints(infer_vocabulary(bare), read_hints(told, bare)).relationships
        assert (link.from_dataset, link.from_columns, link.to_dataset) == ("visit", ("seen",), "adviser")
    assert apply_hints(infer_vocabulary(bare), read_hints(text, bare)).relationships[0].synonyms[0] == "receiver"
    known = apply_hints(
        infer_vocabulary(EXPORT),
        read_hints("`case_reg.hndl_stf_no` is the employee (`stf_mst.stf_no`) who solves it", EXPORT),
    )
    assert [link.synonyms[0] for link in known.relationships if link.from_columns == ("hndl_stf_no",)] == ["solver"]


CODES = table("cd_ref", "cd_grp text, cd_val text, cd_desc text", key="cd_grp cd_val")
LISTED = catalogue(CODES, table("case_reg", "case_no int, prio_cd text, src_cd text", key="case_no"))


@pytest.mark.parametrize(
    "text",
    [
        "- Codes are in `cd_ref`: `cd_grp` is the group ('G1' for `prio_cd`, 'G2' for `src_cd`), `cd_val` the code.",
        "cd_ref.cd_grp: 'G1' = prio_cd, 'G2' = case_reg.src_cd",
        "- In `cd_ref`, `prio_cd` uses cd_grp = 'G1' and `src_cd` uses cd_grp = 'G2'.",
        "`cd_ref` explains the codes: `prio_cd` → 'G1', `src_cd` → 'G2'",
        "- `prio_cd`: codes of `cd_ref` with `cd_grp` = 'G1'\n- `src_cd`: codes of cd_ref where cd_grp = 'G2'.",
    ],
)
def test_a_page_tells_which_kind_of_code_stands_in_which_column(text: str):
    hints = read_hints(text, LISTED)
    assert {(hint.column, hint.kind) for hint in hints.codes} == {("prio_cd", "G1"), ("src_cd", "G2")}
    assert not (hints.columns or hints.values)


def test_the_codes_of_a_column_are_called_as_the_list_of_their_kind_says():
    stored = (ColumnValues("case_reg", "prio_cd", ("A", "B"), complete=True),)
    model = infer_vocabulary(LISTED)
    hints = read_hints("`cd_ref` explains the codes: `prio_cd` → 'G1'", LISTED)
    told = apply_hints(model, hints, ValueIndex(stored, model), {"G1": {"a": "at once", "z": "never"}})
    assert told.dataset("case_reg").field("prio_cd").value_synonyms == {"A": ("at once",)}


def test_a_column_that_is_no_key_of_the_other_table_joins_nothing():
    hints = read_hints("`case_reg.case_st_cd` references `mbr_mst.mbr_st_cd`", EXPORT)
    assert apply_hints(infer_vocabulary(EXPORT), hints).relationships == infer_vocabulary(EXPORT).relationships


@pytest.mark.parametrize(
    "text",
    [
        "- do not add up amounts of different days",
        "All amounts are in rupees; A is better than B.",
        "| a | b |\n|---|---|\n| 1 | x |",
        "- `zzz_cd`: 'A' active, 'C' closed",
    ],
)
def test_remarks_and_what_is_said_of_no_column_here_give_nothing(text: str):
    hints = read_hints(text, EXPORT)
    assert not (hints.values or hints.columns or hints.links or hints.tables)
