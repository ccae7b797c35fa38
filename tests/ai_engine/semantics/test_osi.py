from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import BadVocabulary
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.infer.code_lists import CodeList
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel, VerifiedQuestion
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary
from ai_engine.semantics.osi.extension import AGGREGATES, ROLES, TYPES
from tests.ai_engine.semantics.schemas import catalogue, table

BANK = catalogue(
    table("branches", "branch_id int, name text, city text", key="branch_id"),
    table(
        "loans",
        "loan_id int, branch_id int, outstanding dec, npa_status text, opened date, term_months int, "
        "login_password text",
        key="loan_id",
        branch_id="branches.branch_id",
    ),
)

FILE = """\
version: "1.0"
semantic_model:
  - name: lending
    description: Loans of the bank
    ai_context:
      instructions: Amounts are in rupees.
      examples: [How much is outstanding?]
    datasets:
      - name: loans
        source: bank.public.loans
        primary_key: [LOAN_ID]
        ai_context:
          synonyms: [advances, credits]
        fields:
          - name: outstanding
            expression:
              dialects:
                - dialect: ANSI_SQL
                  expression: outstanding
            label: outstanding principal
            ai_context: "balance due, principal due"
            custom_extensions:
              - vendor_name: BANKING_ASSISTANT
                data: '{"unit": "INR"}'
          - name: npa_status
            expression:
              dialects:
                - dialect: ANSI_SQL
                  expression: npa_status
            custom_extensions:
              - vendor_name: BANKING_ASSISTANT
                data: '{"role": "category", "value_synonyms": {"NPA": ["bad loan"]}}'
          - name: opened
            expression:
              dialects:
                - dialect: ANSI_SQL
                  expression: opened
            dimension: {is_time: true}
          - name: years
            expression:
              dialects:
                - dialect: ANSI_SQL
                  expression: term_months / 12.0
            custom_extensions:
              - vendor_name: BANKING_ASSISTANT
                data: '{"role": "measure", "unit": "years"}'
        custom_extensions:
          - vendor_name: DBT
            data: 'not even JSON'
      - name: branches
        source: branches
    metrics:
      - name: npa_ratio
        expression:
          dialects:
            - dialect: ANSI_SQL
              expression: >-
                100.0 * SUM(CASE WHEN loans.npa_status = 'NPA' THEN loans.outstanding ELSE 0 END)
                / NULLIF(SUM(loans.outstanding), 0)
        custom_extensions:
          - vendor_name: BANKING_ASSISTANT
            data: '{"unit": "percent", "time_field": "loans.opened"}'
    custom_extensions:
      - vendor_name: BANKING_ASSISTANT
        data: '{"currency": "INR", "fiscal_year_start_month": 4, "as_of": "loans.opened",
          "verified_questions": [{"question": "How many loans?", "sql": "SELECT COUNT(*) FROM loans"}]}'
"""


def changed(old: str, new: str) -> str:
    assert FILE.count(old) >= 1, old
    return FILE.replace(old, new, 1)


def test_a_file_is_read_into_a_model_with_the_database_s_own_spelling():
    model = load_vocabulary(FILE, BANK)
    loans = model.dataset("loans")
    assert (model.currency, model.fiscal_year_start_month, model.as_of) == ("INR", 4, "loans.opened")
    assert model.instructions == "Amounts are in rupees."
    assert model.verified_questions == (VerifiedQuestion("How many loans?", "SELECT COUNT(*) FROM loans"),)
    assert (loans.source, loans.primary_key, loans.synonyms) == ("loans", ("loan_id",), ("advances", "credits"))
    assert loans.field("outstanding").synonyms == ("balance due", "principal due")
    assert dict(loans.field("npa_status").value_synonyms) == {"NPA": ("bad loan",)}
    assert (model.metric("npa_ratio").unit, model.metric("npa_ratio").time_field) == ("percent", "loans.opened")
    assert model.metric("npa_ratio").label == "npa ratio"
    assert not model.inferred


def test_what_a_file_leaves_out_is_inferred():
    model = load_vocabulary(FILE, BANK)
    loans = model.dataset("loans")
    outstanding = loans.field("outstanding")
    assert (outstanding.type, outstanding.role, outstanding.default_aggregate) == ("decimal", "measure", "sum")
    assert (loans.label, loans.default_time) == ("loan", "opened")
    assert (loans.field("opened").type, loans.field("opened").role) == ("date", "time")
    assert {item.name for item in model.dataset("branches").fields} == {"branch_id", "name", "city"}
    assert [(link.from_dataset, link.to_dataset) for link in model.relationships] == [("loans", "branches")]


def test_an_empty_list_of_relationships_means_none():
    assert load_vocabulary(changed("    metrics:", "    relationships: []\n    metrics:"), BANK).relationships == ()


def test_a_secret_column_stays_marked_unless_the_file_says_otherwise():
    entry = """\
          - name: secret
            expression: {dialects: [{dialect: ANSI_SQL, expression: login_password}]}
"""
    spoken = (
        entry
        + """\
            custom_extensions: [{vendor_name: BANKING_ASSISTANT, data: '{"sensitive": false}'}]
"""
    )
    silent = load_vocabulary(changed("          - name: years\n", entry + "          - name: years\n"), BANK)
    loud = load_vocabulary(changed("          - name: years\n", spoken + "          - name: years\n"), BANK)
    assert silent.dataset("loans").field("secret").sensitive
    assert not loud.dataset("loans").field("secret").sensitive


def test_an_expression_in_another_dialect_is_translated():
    text = changed(
        "- dialect: ANSI_SQL\n                  expression: term_months / 12.0",
        "- dialect: SNOWFLAKE\n                  expression: IFF(term_months > 12, 1, 0)",
    )
    years = load_vocabulary(text, BANK).dataset("loans").field("years")
    assert years.expression == "CASE WHEN term_months > 12 THEN 1 ELSE 0 END"


def test_a_metric_may_combine_datasets_that_each_aggregate_by_themselves():
    text = changed("NULLIF(SUM(loans.outstanding), 0)", "COUNT(DISTINCT branches.branch_id)")
    assert "branches.branch_id" in load_vocabulary(text, BANK).metric("npa_ratio").expression


def test_datatypes_of_newer_files_are_understood():
    text = changed("            label: outstanding principal", "            datatype: Float\n            label: due")
    assert load_vocabulary(text, BANK).dataset("loans").field("outstanding").type == "float"


FAULTS = [
    ("semantic_model:", "semantic_mode:", "unknown key 'semantic_mode', did you mean 'semantic_model'"),
    ('version: "1.0"', 'version: "2.0"', "version 2.0 is not known"),
    ("  - name: lending", "  - name: [lending]", "expected text, found a list"),
    (
        "    description: Loans of the bank",
        "    descripton: Loans",
        "unknown key 'descripton', did you mean 'description'",
    ),
    ("source: bank.public.loans", "source: bank.public.laons", "no table 'bank.public.laons', did you mean 'loans'"),
    ("source: bank.public.loans", "source: SELECT * FROM loans", "no table"),
    ("primary_key: [LOAN_ID]", "primary_key: [loan_idd]", "no column 'loan_idd', did you mean 'loan_id'"),
    ("primary_key: [LOAN_ID]", "primary_key: loan_id", "expected a list, found 'loan_id'"),
    ("expression: outstanding\n", "expression: outstandin\n", "no column 'outstandin', did you mean 'outstanding'"),
    ("expression: outstanding\n", "expression: SUM(outstanding)\n", "cannot aggregate"),
    ("expression: outstanding\n", "expression: outstanding +\n", "not a SQL expression"),
    ("expression: outstanding\n", "expression: outstanding, opened\n", "one scalar SQL expression"),
    ("expression: outstanding\n", "expression: outstanding FROM loans\n", "one scalar SQL expression"),
    ("expression: outstanding\n", "expression: (SELECT 1)\n", "without alias or subquery"),
    (
        "dialect: ANSI_SQL\n                  expression: outstanding",
        "dialect: MDX\n                  expression: x",
        "no expr",
    ),
    ("- name: npa_status", "- name: outstanding", "the name 'outstanding' is given twice"),
    ("- name: branches", "- name: loans", "the name 'loans' is given twice"),
    ('{"unit": "INR"}', '{"unit": "rupees"}', "'rupees' is neither a currency code"),
    ('{"unit": "INR"}', '{"unit": "INR"', "not valid JSON"),
    ('{"unit": "INR"}', '{"unit": "INR", "unit": "USD"}', "a key is given twice"),
    ('{"unit": "INR"}', '{"units": "INR"}', "unknown key 'units', did you mean 'unit'"),
    ('{"unit": "INR"}', '{"role": "figure"}', "'figure' is not one of identifier, name"),
    ('{"unit": "INR"}', '{"type": "number"}', "'number' is not one of integer, decimal"),
    ('{"unit": "INR"}', '{"default_aggregate": "average"}', "'average' is not one of count"),
    ('{"unit": "INR"}', '{"sensitive": "no"}', "expected true or false, found 'no'"),
    ('{"NPA": ["bad loan"]}', '{"NPA": "bad loan"}', "expected a list"),
    ("{is_time: true}", "{is_tim: true}", "did you mean 'is_time'"),
    ("{is_time: true}", "{is_time: maybe}", "expected true or false"),
    ("loans.npa_status =", "loans.npa_state =", "no field 'npa_state', did you mean 'npa_status'"),
    ("loans.npa_status =", "loan.npa_status =", "no dataset 'loan', did you mean 'loans'"),
    ("loans.npa_status =", "npa_status =", "write 'npa_status' as dataset.field"),
    ("SUM(loans.outstanding), 0", "loans.outstanding, 0", "stands outside an aggregate"),
    ("SUM(loans.outstanding), 0", "COUNT(*), 0", "names no dataset"),
    ("SUM(loans.outstanding), 0", "SUM(loans.outstanding * branches.branch_id), 0", "mixes the datasets"),
    ('"time_field": "loans.opened"', '"time_field": "loans.closed"', "no field 'closed'"),
    ('"currency": "INR"', '"currency": "Rs"', "'Rs' is not a currency code"),
    ('"fiscal_year_start_month": 4', '"fiscal_year_start_month": 13', "a month is a number from 1 to 12"),
    ('"fiscal_year_start_month": 4', '"fiscal_year_start_month": true', "expected a whole number"),
    ('"as_of": "loans.opened"', '"as_of": "opened"', "no dataset ''"),
    ('"sql": ', '"query": ', "unknown key 'query'"),
    ("    metrics:", "    metrics:\n    metrics:", "key 'metrics' is given twice"),
    ("  - name: lending", "  - nam: lending", "did you mean 'name'"),
    ("    ai_context:\n", "    ai_context: &a [*a]\n    x:\n", "aliases are not supported"),
]


@pytest.mark.parametrize(("old", "new", "problem"), FAULTS, ids=[problem for _, _, problem in FAULTS])
def test_a_fault_is_named_with_its_line_and_field(old, new, problem):
    with pytest.raises(BadVocabulary) as caught:
        load_vocabulary(changed(old, new), BANK)
    assert problem in str(caught.value)
    assert caught.value.line is not None
    first = FILE[: FILE.index(old)].count("\n") + 1
    assert first - 6 <= caught.value.line <= first + max(1, old.count("\n") + 1)
    assert caught.value.field


def test_the_line_and_the_path_point_at_the_value_itself():
    with pytest.raises(BadVocabulary) as caught:
        load_vocabulary(changed("source: branches", "source: branch_offices"), BANK)
    assert caught.value.field == "semantic_model[0].datasets[1].source"
    assert FILE.splitlines()[caught.value.line - 1].strip() == "source: branches"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("semantic_model: [", "not valid YAML"),
        ("semantic_model: {a: b: c}", "not valid YAML"),
        ("a: 1\n---\nb: 2", "a second document begins"),
        ("- 1", "expected a mapping, found a list"),
        ("semantic_model: []", "expected one model, found 0"),
        ("semantic_model: [{name: x, datasets: []}]", "at least one dataset"),
        ("semantic_model: [{name: x}]", "'datasets' is missing"),
        ("semantic_model: [{name: ' ', datasets: [{name: a, source: loans}]}]", "must not be empty"),
        ("? [a]\n: b", "a key must be text"),
        ("semantic_model: " + "[" * 200_000, "nested too deeply"),
        ("- " * 200_000, "nested too deeply"),
        ("semantic_model: 0x", "expected a list, found '0x'"),
    ],
)
def test_what_is_no_vocabulary_at_all_is_refused(text, problem):
    with pytest.raises(BadVocabulary, match=problem.replace("(", r"\(")):
        load_vocabulary(text, BANK)


def test_relationships_must_join_what_exists():
    link = """\
    relationships:
      - {name: l, from: loans, to: branches, from_columns: [branch_id], to_columns: [branch_id]}
    metrics:
"""
    good = changed("    metrics:\n", link)
    assert load_vocabulary(good, BANK).relationships[0].to_columns == ("branch_id",)
    for old, new, problem in [
        ("to: branches", "to: branch", "no dataset 'branch', did you mean 'branches'"),
        ("from_columns: [branch_id]", "from_columns: [branch]", "no column 'branch'"),
        ("from_columns: [branch_id]", "from_columns: [branch_id, loan_id]", "equally many columns"),
    ]:
        with pytest.raises(BadVocabulary, match=problem):
            load_vocabulary(good.replace(old, new), BANK)


def test_a_written_file_follows_the_format():
    written = yaml.safe_load(dump_vocabulary(load_vocabulary(FILE, BANK)))
    assert written["version"] == "1.0"
    (model,) = written["semantic_model"]
    assert set(model) <= {
        "name", "description", "ai_context", "datasets", "relationships", "metrics", "custom_extensions",
    }  # fmt: skip
    field = model["datasets"][0]["fields"][0]
    assert field["expression"] == {"dialects": [{"dialect": "ANSI_SQL", "expression": "outstanding"}]}
    (extension,) = field["custom_extensions"]
    assert extension["vendor_name"] == "BANKING_ASSISTANT"
    assert json.loads(extension["data"])["unit"] == "INR"


def test_an_inferred_vocabulary_can_be_written_edited_and_read():
    model = infer_vocabulary(BANK)
    assert load_vocabulary(dump_vocabulary(model), BANK) == model
    edited = dump_vocabulary(model).replace("label: outstanding", "label: exposure")
    assert load_vocabulary(edited, BANK).dataset("loans").field("outstanding").label == "exposure"


TEXT = st.text(min_size=1, max_size=12).filter(str.strip)
VERIFIED = st.builds(
    VerifiedQuestion, TEXT, TEXT, st.text(max_size=12), st.text(max_size=12), st.one_of(st.none(), st.dates())
)
SYNONYMS = st.lists(TEXT, max_size=3).map(tuple)
UNITS = st.sampled_from([None, "INR", "percent", "days", "months", "years", "count"])
EXPRESSIONS = {
    "loans": [
        "loan_id",
        "outstanding",
        '"opened"',
        "login_password",
        "term_months * 2",
        "COALESCE(npa_status, 'none')",
    ],
    "branches": ["branch_id", "name", "UPPER(city)"],
}


def fields(dataset: str) -> st.SearchStrategy[Field]:
    return st.builds(
        Field,
        name=TEXT,
        expression=st.sampled_from(EXPRESSIONS[dataset]),
        type=st.sampled_from(TYPES),
        role=st.sampled_from(ROLES),
        label=TEXT,
        description=st.text(max_size=20),
        synonyms=SYNONYMS,
        unit=UNITS,
        default_aggregate=st.sampled_from([None, *AGGREGATES]),
        value_synonyms=st.dictionaries(st.text(max_size=5), SYNONYMS, max_size=2),
        sensitive=st.booleans(),
    )


@st.composite
def datasets(draw, source: str) -> Dataset:
    known = {"loans": "loan_id", "branches": "branch_id"}
    items = tuple(draw(st.lists(fields(source), min_size=1, max_size=4, unique_by=lambda item: item.name)))
    names = [item.name for item in items]
    return Dataset(
        name=source,
        source=source,
        fields=items,
        label=draw(TEXT),
        primary_key=draw(st.sampled_from([(), (known[source],)])),
        unique_keys=draw(st.sampled_from([(), ((known[source],),)])),
        description=draw(st.text(max_size=20)),
        synonyms=draw(SYNONYMS),
        default_time=draw(st.sampled_from([None, *names])),
        display=tuple(draw(st.lists(st.sampled_from(names), max_size=3, unique=True))),
    )


@st.composite
def models(draw) -> SemanticModel:
    loans, branches = draw(datasets("loans")), draw(datasets("branches"))
    some = draw(st.sampled_from([None, f"branches.{branches.fields[0].name}"]))
    link = st.builds(
        Relationship,
        name=TEXT,
        from_dataset=st.just("loans"),
        from_columns=st.just(("branch_id",)),
        to_dataset=st.just("branches"),
        to_columns=st.just(("branch_id",)),
        synonyms=SYNONYMS,
        preferred=st.booleans(),
    )
    key = replace(loans.fields[0], name="key")
    loans = replace(
        loans, fields=(key, *(item for item in loans.fields if item.name != "key")), display=(), default_time=None
    )
    metric = st.builds(
        Metric,
        name=TEXT,
        expression=st.sampled_from(["COUNT(loans.key)", "SUM(loans.key) / COUNT(loans.*)"]),
        label=TEXT,
        description=st.text(max_size=20),
        synonyms=SYNONYMS,
        unit=UNITS,
        time_field=st.sampled_from([None, "loans.key"]),
    )
    return SemanticModel(
        name=draw(TEXT),
        datasets=(loans, branches),
        relationships=tuple(draw(st.lists(link, max_size=2, unique_by=lambda item: item.name))),
        metrics=tuple(draw(st.lists(metric, max_size=2, unique_by=lambda item: item.name))),
        description=draw(st.text(max_size=20)),
        instructions=draw(st.text(max_size=40)),
        currency=draw(st.sampled_from([None, "INR"])),
        fiscal_year_start_month=draw(st.integers(1, 12)),
        plain_year=draw(st.sampled_from(["calendar", "fiscal"])),
        as_of=some if some and "." not in branches.fields[0].name else None,
        verified_questions=tuple(draw(st.lists(VERIFIED, max_size=2))),
        inferred=draw(st.booleans()),
        glossary=draw(st.dictionaries(TEXT.map(str.lower), TEXT, max_size=2)),
    )


@settings(max_examples=80, deadline=None)
@given(models())
def test_a_written_model_reads_back_equal(model):
    assert load_vocabulary(dump_vocabulary(model), BANK) == model


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_file_is_refused_or_read_but_never_breaks(data):
    lines = FILE.splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    damage = data.draw(st.sampled_from(["", "  - x", "null", "name: 3", "{", "'", "fields: {}", "- - a", ": :"]))
    lines[at] = damage if data.draw(st.booleans()) else lines[at] + damage
    try:
        model = load_vocabulary("\n".join(lines), BANK)
    except BadVocabulary as fault:
        assert str(fault)
    else:
        assert model.datasets


LISTED = catalogue(
    table("ref_cd", "cd_grp text, cd_val text, cd_desc text", key="cd_grp cd_val"),
    table("acct_mst", "acct_no text, prod_cd text", key="acct_no"),
)
LISTED_SAMPLES = {("ref_cd", "cd_grp"): ("PROD",), ("acct_mst", "prod_cd"): ("SBA", "CUR")}
LISTS = [CodeList("PROD", {"sba": "savings", "cur": "current"}, "ref_cd", ("cd_grp", "cd_val", "cd_desc"))]


def test_a_code_that_a_list_describes_is_written_with_the_kind_that_it_is_of():
    model = infer_vocabulary(LISTED, LISTED_SAMPLES, code_lists=LISTS)
    (link,) = model.relationships
    assert link.only_where == (("cd_grp", "PROD"),)
    assert load_vocabulary(dump_vocabulary(model), LISTED) == model


@pytest.mark.parametrize(
    ("written", "instead"),
    [("cd_grp", "cd_kind"), ('"field": "cd_desc"', '"field": "cd_text"'), ("described_by", "described_as")],
)
def test_a_code_described_by_nothing_that_is_there_is_refused(written: str, instead: str):
    text = dump_vocabulary(infer_vocabulary(LISTED, LISTED_SAMPLES, code_lists=LISTS))
    *head, tail = text.rsplit(written, 1)
    with pytest.raises(BadVocabulary):
        load_vocabulary(instead.join([*head, tail]), LISTED)
