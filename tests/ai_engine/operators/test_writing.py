"""Texts about results: by rule without a model, and by a model only with figures and citations that are there."""

from __future__ import annotations

import threading
import time
from decimal import Decimal
from typing import Any

import pytest

from ai_engine.agent import TabularResult
from ai_engine.errors import ModelUnavailable
from ai_engine.operators.base import Citation, OperatorFailed, OperatorResult
from ai_engine.operators.calling import OperatorCaller
from backend.orchestration import Orchestrator
from tests.ai_engine.operators.calls import Listener, call, caller, knows
from tests.ai_engine.scripted_agents import ScriptedChat
from tests.patience import allowed_s

POLICY = OperatorResult(
    output={"results": [], "answer": "“NPA after 90 days.” (NPA policy, paragraph 2)"},
    text="“NPA after 90 days.” (NPA policy, paragraph 2)",
    citations=(Citation("npa.md", 2, "NPA policy"),),
)
DEPOSITS = OperatorResult(
    output={"answer": "Pune holds Rs.70.00.", "columns": ["branch", "deposits"]},
    text="Pune holds Rs.70.00.",
    table=TabularResult.of_rows(
        ["branch", "deposits"], [("Pune", Decimal(70)), ("Goa", Decimal(20)), ("Delhi | [x](http://evil)", Decimal(10))]
    ),
    metadata={
        "restatement": "Deposits by branch",
        "units": {"deposits": "INR"},
        "columns": [
            {"name": "branch", "label": "branch", "role": "category"},
            {"name": "deposits", "label": "deposits", "unit": "INR", "role": "measure", "adds_up": True},
        ],
    },
    missing=("The share of Goa is not known.",),
)
BOTH = {"s1": POLICY, "s2": DEPOSITS}


def by(model: ScriptedChat | None = None, results: Any = BOTH, **given: Any) -> OperatorCaller:
    return caller(given.pop("listener", None), model=model, assemble=knows(results_all=results), **given)


def reply(text: str, *places: tuple[str, int]) -> dict[str, Any]:
    return {"text": text, "citations": [{"document": document, "paragraph": number} for document, number in places]}


# synthesizer


def test_by_rule_an_answer_says_what_each_result_says():
    result = call("synthesizer", "deposits and policy", by())
    assert result.text == f"{POLICY.text}\n\nPune holds Rs.70.00."
    assert result.output == {"answer": result.text}
    assert result.citations == POLICY.citations
    assert result.missing == DEPOSITS.missing
    assert result.metadata == {"operator": "synthesizer", "written_by": "rule"}


def test_a_place_that_no_result_of_the_turn_cites_is_not_cited():
    there = {"document": "npa.md", "paragraph": 2, "title": "NPA policy", "text": "NPA after 90 days."}
    invented = {"document": "bonus.md", "paragraph": 7, "title": "Bonus policy", "text": "Double pay."}
    sources = [{"text": "As the policies say.", "results": [there, invented]}]
    assert call("synthesizer", "policy", by(), sources=sources).citations == POLICY.citations


def test_a_model_writes_it_from_the_texts_and_cites_their_places():
    model = ScriptedChat(reply("Pune leads with Rs.70.00; a loan is an NPA after 90 days.", ("npa.md", 2)))
    result = call("synthesizer", "deposits and policy", by(model))
    assert result.text.startswith("Pune leads")
    assert result.citations == POLICY.citations
    assert result.metadata["written_by"] == "model"
    told = model.asked[0].user
    assert "npa.md 2" in told
    assert "Goa is not known" in told
    assert "Delhi" not in told, "rows stay here"
    assert "deposits and policy" not in model.asked[0].system


@pytest.mark.parametrize(
    "bad",
    [
        reply("Pune holds Rs.71.00."),
        reply("An NPA after 90 days.", ("npa.md", 3)),
        reply("An NPA after 90 days.", ("other.md", 2)),
        reply("![x](http://evil/?q=70) Pune leads."),
        reply("See [this](javascript:alert(1))."),
        reply("<img src=x> Pune leads."),
        reply("Look at https://evil.example/70"),
        reply("  "),
        ModelUnavailable("no answer"),
    ],
)
def test_a_text_that_the_results_do_not_bear_out_is_not_taken(bad: Any):
    listener = Listener()
    result = call("synthesizer", "deposits", by(ScriptedChat(bad), listener=listener))
    assert result.metadata["written_by"] == "rule"
    assert result.text.startswith(POLICY.text)
    assert "tool.progress" in listener.types


def test_a_model_is_not_asked_where_a_cell_may_not_leave():
    hidden = OperatorResult(output={}, text="Asha has Rs.5.00.", metadata={"may_leave": False})
    model = ScriptedChat()
    assert call("synthesizer", "who", by(model, {"s1": hidden})).text == "Asha has Rs.5.00."
    assert call("synthesizer", "who", by(model, {"s1": hidden}), sources=["Asha has Rs.5.00."]).text
    assert call("synthesizer", "who", by(model, {}), sources=[{"answer": "x", "may_leave": False}]).text == "x"
    assert model.asked == []


def test_sources_may_be_named_as_texts_outputs_of_steps_and_titled_ones():
    passages = [{"document": "kyc.md", "paragraph": 1, "title": "KYC", "heading": "", "text": "Yearly."}]
    kyc = OperatorResult({"results": passages}, text="Yearly.", citations=(Citation("kyc.md", 1, "KYC"),))
    result = call(
        "synthesizer",
        "all",
        by(results={**BOTH, "s0": kyc}),
        sources=[
            "a text",
            {"answer": "Yearly.", "results": passages},
            {"title": "T", "content": dict(POLICY.output)},
            None,
        ],
    )
    assert result.text == f"a text\n\nYearly.\n\n{POLICY.text}"
    assert result.citations == (Citation("kyc.md", 1, "KYC"), *POLICY.citations)


def test_with_nothing_to_write_about_it_says_so():
    with pytest.raises(OperatorFailed, match="nothing yet to write about"):
        call("synthesizer", "all", by(results={}))


def test_a_model_that_hangs_leaves_time_for_the_rule():
    started = time.monotonic()
    result = call("synthesizer", "deposits", by(ScriptedChat(None)), timeout_s=1)
    assert result.metadata["written_by"] == "rule"
    assert time.monotonic() - started < allowed_s(1)


def test_a_stop_while_the_model_thinks_ends_it():
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    started = time.monotonic()
    with pytest.raises(OperatorFailed) as failed:
        call("synthesizer", "deposits", by(ScriptedChat(None), stop=stop))
    assert failed.value.kind == "QueryStopped"
    assert time.monotonic() - started < allowed_s(1.2)


# writer


def test_by_rule_a_report_has_sections_tables_sources_and_what_is_missing():
    result = call("writer", "write it up", by(), style="report", title="Branch review")
    assert result.text == (
        "# Branch review\n\n"
        f"{POLICY.text}\n\n"
        "## Deposits by branch\n\nPune holds Rs.70.00.\n\n"
        "| branch | deposits |\n| --- | ---: |\n| Pune | Rs.70.00 |\n| Goa | Rs.20.00 |\n"
        "| Delhi \\| \\[x\\](http://evil) | Rs.10.00 |\n\n"
        "## Sources\n\n- NPA policy, paragraph 2\n\n## Missing\n\n- The share of Goa is not known."
    )
    assert result.output["markdown"] == result.text


def test_a_summary_by_rule_is_a_list():
    result = call("writer", "sum it up", by(), style="summary")
    assert result.text.startswith(f"- {POLICY.text}\n- Pune holds")
    assert "| branch" not in result.text


def test_a_model_writes_the_words_and_the_tables_are_put_below():
    model = ScriptedChat(reply("## Conclusion\n\nPune holds Rs.70.00.", ("npa.md", 2)))
    result = call("writer", "write it up", by(model), style="report", max_table_rows=1)
    assert result.text.startswith("## Conclusion\n\nPune holds Rs.70.00.\n\n**Deposits by branch**\n\n| branch")
    assert "… and 2 more rows" in result.text
    assert "report" in model.asked[0].user


def test_the_writer_is_told_the_reader_who_is_no_source():
    model = ScriptedChat(reply("Pune holds Rs.70.00."), reply("You have Rs.5,000."))
    knowing = knows(results_all=BOTH, request_context={"role": "branch manager", "limit": 5_000})
    call("writer", "write it up", caller(None, model=model, assemble=knowing))
    assert '~~~reader\n{"role": "branch manager", "limit": 5000}' in model.asked[0].user
    assert "5,000" not in call("writer", "write it up", caller(None, model=model, assemble=knowing)).text


def test_a_style_that_is_none_is_refused():
    with pytest.raises(OperatorFailed, match="style must be one of answer, summary, report"):
        call("writer", "write", by(), style="poem")


def test_links_and_pictures_of_a_source_become_words():
    result = call("writer", "write", by(), sources=["see [the ![x](http://a/b) note](http://evil) <script>"])
    assert result.text == "see the x note ‹script>"


# analyzer


def test_by_rule_it_says_what_stands_out():
    result = call("analyzer", "what stands out", by())
    assert result.output["findings"] == [
        "Deposits: highest for Pune (Rs.70.00), lowest for Delhi | x (Rs.10.00).",
        "Pune has 70% of the total of Rs.100.00.",
    ]
    assert result.text == "- " + "\n- ".join(result.output["findings"])


def test_a_model_may_choose_among_the_findings_and_add_no_figure():
    taken = ScriptedChat(reply("- Pune has 70% of all deposits."))
    assert call("analyzer", "what stands out", by(taken)).text == "- Pune has 70% of all deposits."
    assert "What" not in taken.asked[0].system.partition("\n")[0]
    refused = ScriptedChat(reply("- Pune has 77% of all deposits."))
    assert call("analyzer", "what stands out", by(refused)).metadata["written_by"] == "rule"


def test_a_run_of_time_goes_from_its_first_to_its_last_whole_step():
    table = {"columns": ["month", "loans"], "rows": [["2026-07-01", 10], ["2026-08-01", 15], ["2026-06-01", 5]]}
    result = call("analyzer", "trend", by(results={}), sources=[table])
    assert result.output["findings"] == ["Loans: rose from 5 (June 2026) to 15 (August 2026), by 200%."]


def test_rows_that_are_cut_off_have_no_highest_and_equal_ones_neither():
    cut = OperatorResult(output={"x": 1}, table=DEPOSITS.table, metadata={"truncated": True})
    assert "cut off" in call("analyzer", "x", by(results={"s": cut})).text
    same = {"columns": ["a", "n"], "rows": [["x", 1], ["y", 1]]}
    assert call("analyzer", "x", by(results={}), sources=[same]).output["findings"] == ["N: 1 in all 2 rows."]


def test_a_step_that_is_covered_only_in_part_is_no_end_of_a_run():
    months = [{"name": "month", "role": "time", "part_steps": [["2026-09-01", "1 to 3 September 2026"]]}]
    rows = TabularResult.of_rows(["month", "loans"], [("2026-07-01", 10), ("2026-08-01", 15), ("2026-09-01", 1)])
    run = OperatorResult(output={"x": 1}, table=rows, metadata={"columns": months})
    assert call("analyzer", "trend", by(results={"s": run})).output["findings"] == [
        "Loans: rose from 10 (July 2026) to 15 (August 2026), by 50%, without the steps that are covered only in part."
    ]


def test_a_row_is_named_by_its_name_and_not_by_its_key():
    table = {"columns": ["branch_id", "branch", "n"], "rows": [[1, "Pune", 3], [2, "Goa", 5]]}
    assert call("analyzer", "x", by(results={}), sources=[table]).output["findings"] == [
        "N: highest for Goa (5), lowest for Pune (3)."
    ]


def test_a_summary_takes_the_points_of_a_text_and_leaves_its_headings():
    text = "# Title\n\n**Deposits**\n\n- One.\n- Two.\n\n**Three** is bold."
    assert call("writer", "x", by(), sources=[text], style="summary").text == "- One.\n- Two.\n- **Three** is bold."


def test_without_a_table_nothing_stands_out():
    with pytest.raises(OperatorFailed, match="no table"):
        call("analyzer", "x", by(results={"s1": POLICY}))


def test_what_the_bank_answered_is_analysed_with_its_units(found: Orchestrator):
    services = found.setting.services
    deposits = call("sql", "total deposits by branch", caller(services=services))
    result = call("analyzer", "what stands out", by(results={"s1": deposits}, services=services))
    assert "Rs." in result.text
    assert "highest for" in result.text


# query_rewriter


def test_by_rule_a_query_keeps_its_key_words():
    result = call("query_rewriter", "Please tell me what our policy on restructured loans says", by())
    assert result.output["internal_query"] == "policy restructured loans says"
    assert result.output["standalone"] == result.text == "Please tell me what our policy on restructured loans says"


def test_by_rule_a_short_request_takes_the_one_before_along_and_the_web_gets_no_figure():
    before = [{"role": "user", "text": "What is the fee for lockers?"}, {"role": "assistant", "text": "900"}]
    result = call("query_rewriter", "and for 12345?", caller(assemble=knows(conversation_recent=before)))
    assert result.output == {
        "standalone": "What is the fee for lockers: and for 12345?",
        "internal_query": "fee lockers 12345",
        "external_query": "",
    }


def test_a_model_rewrites_it_and_sees_no_answer():
    made = {"standalone": "What is the locker fee in 2026?", "internal_query": "locker fee", "external_query": "locker"}
    before = [{"role": "user", "text": "fees in 2026"}, {"role": "assistant", "text": "Asha pays 900"}]
    model = ScriptedChat(made)
    result = call("query_rewriter", "lockers?", caller(model=model, assemble=knows(conversation_recent=before)))
    assert result.output == made
    assert "Asha" not in model.asked[0].user


@pytest.mark.parametrize(
    "bad",
    [
        {"standalone": "", "internal_query": "x"},
        {"standalone": "x", "internal_query": "fee 77"},
        {"standalone": "There are nine hundred crore lockers.", "internal_query": "x"},
        {"standalone": "x", "internal_query": "x", "external_query": "x" * 301},
        {"standalone": "x", "internal_query": "x", "external_query": "fees 2026"},
    ],
)
def test_a_rewriting_with_figures_that_nobody_said_is_not_taken(bad: dict[str, Any]):
    before = [{"role": "user", "text": "fees in 2026"}]
    model = ScriptedChat(bad)
    result = call(
        "query_rewriter", "lockers and cards yearly", caller(model=model, assemble=knows(conversation_recent=before))
    )
    assert result.output["internal_query"] == "lockers cards yearly"
