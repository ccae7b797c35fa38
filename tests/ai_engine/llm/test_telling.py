"""A summary that streams in: only whole sentences are shown, and only what the result bears out."""

from __future__ import annotations

import threading

import pytest

from ai_engine.errors import QueryStopped
from ai_engine.insight import summarise
from ai_engine.llm.telling import whole_sentences
from ai_engine.ports import InsightTask
from ai_engine.types import OutputColumn, QueryResult
from tests.ai_engine.llm.bank import BANK
from tests.ai_engine.llm.server import Answer, ChatServer, chunks, events, fails, says, serving, streams
from tests.ai_engine.llm.test_model import NEVER, SEGMENT, SEGMENTS, model

WAIT_S = 10
FIRST, SECOND = "Retail holds Rs.75.00, 75% of the total of Rs.100.00.", "HNI holds Rs.25.00."
TRUE = {"summary": f"{FIRST} {SECOND}", "chart": "pie"}


def tell(server: ChatServer, stop: threading.Event = NEVER):
    heard: list[str] = []
    return model(server).explain(SEGMENTS, BANK, stop=stop, heard=heard.append), heard


def test_whole_sentences_are_heard_as_they_come_and_the_last_has_all():
    with serving(streams(TRUE, pause_s=0.06)) as server:
        insight, heard = tell(server)
    assert heard[0] == FIRST
    assert insight.summary == TRUE["summary"]
    assert insight.chart == "pie"
    assert server.requests[0]["stream"] is True
    assert server.requests[0]["stream_options"] == {"include_usage": True}
    assert "response_format" in server.requests[0]


@pytest.mark.parametrize("guess", ["Growth was 12% year on year.", "HNI holds Rs.26.00.", "See https://evil.example."])
def test_a_sentence_that_nothing_bears_out_is_never_heard_and_the_stream_is_read_to_its_end(guess: str):
    wrong = {"summary": f"{FIRST} {guess} {SECOND} {SECOND} {SECOND}", "chart": "pie"}
    with serving(streams(wrong, pause_s=0.06)) as server:
        insight, heard = tell(server)
        assert server.streamed.wait(WAIT_S)
        assert not server.hung_up.is_set()
    assert heard == [FIRST]
    assert insight.summary == summarise(SEGMENTS, BANK)
    assert insight.summary.startswith(insight.headline)


def test_a_figure_from_nowhere_in_the_last_sentence_leaves_the_rule_made_summary():
    with serving(streams({"summary": f"{FIRST} Growth was 12%.", "chart": "pie"})) as server:
        insight, heard = tell(server)
    assert not any("12%" in text for text in heard)
    assert insight.summary == summarise(SEGMENTS, BANK)


@pytest.mark.parametrize(
    "told",
    [
        "Retail holds Rs.75.00 cro\u0001re.", "HNI holds fi\u0001ve hun\u0001dred.", "HNI holds Rs.25\u0001\u000175.",
        "HNI holds Rs.25\u001c75.", "HNI is told of at https:/\u200b/evil\u200b.example/x.",
        "HNI is told of at evil.example\u200b/x", "HNI is told of at <\u200bimg src=x>",
    ],
)  # fmt: skip
def test_what_is_judged_is_what_is_seen(told: str):
    with serving(streams({"summary": told, "chart": "pie"}, pause_s=0.01)) as server:
        insight, heard = tell(server)
    assert (insight.summary, heard) == (summarise(SEGMENTS, BANK), [])


def test_a_summary_has_no_mark_that_nobody_sees():
    with serving(streams({"summary": "HNI hol\u0001ds\u200b Rs.25.00.", "chart": "pie"}, pause_s=0.04)) as server:
        insight, heard = tell(server)
    assert (insight.summary, heard[-1]) == (SECOND, SECOND)


def test_a_sentence_that_tells_nothing_of_the_result_is_not_heard():
    with serving(streams({"summary": f"The bank is insolvent. {FIRST}", "chart": "pie"}, pause_s=0.03)) as server:
        insight, heard = tell(server)
    assert set(heard) == {FIRST}
    assert insight.summary == FIRST


def test_a_stop_leaves_the_call_at_once():
    stop = threading.Event()
    with serving(streams(TRUE, pause_s=0.5)) as server:
        threading.Timer(0.6, stop.set).start()
        with pytest.raises(QueryStopped):
            tell(server, stop)
        assert server.hung_up.wait(WAIT_S)


@pytest.mark.parametrize(
    "answers",
    [
        (fails(401),), (fails(400), fails(400), fails(400)), (chunks({"content": "?"}), chunks({"content": "?"})),
        (chunks({"role": "assistant"}), says("not a stream")),
    ],
)  # fmt: skip
def test_what_does_not_stream_leaves_the_rule_made_summary(answers: tuple[Answer, ...]):
    with serving(*answers) as server:
        insight, heard = tell(server)
    assert (insight.summary, heard) == (summarise(SEGMENTS, BANK), [])


def test_an_escape_that_json_does_not_have_leaves_the_rule_made_summary():
    told = '{"summary": "' + FIRST + ' \\u12 more. Then", "chart": "pie"}'
    with serving(streams(told, pause_s=0.06), streams(told, pause_s=0.01)) as server:
        insight, _ = tell(server)
    assert insight.summary == summarise(SEGMENTS, BANK)


@pytest.mark.parametrize(
    "event", ["{not json", '{"choices": [null]}', '{"choices": [{"delta": {"content": "\\ud83d"}}]}']
)
def test_a_stream_that_cannot_be_read_leaves_the_rule_made_summary(event):
    answer = events(event)
    with serving(*[answer] * (2 if "choices" in event else 1)) as server:
        insight, heard = tell(server)
    assert (insight.summary, heard) == (summarise(SEGMENTS, BANK), [])


def test_a_service_that_knows_no_schema_streams_what_it_is_asked_for_in_words():
    with serving(fails(400, "no response_format"), streams(TRUE)) as server:
        insight, _ = tell(server)
    assert insight.summary == TRUE["summary"]
    assert "response_format" not in server.requests[1]
    assert "stream_options" in server.requests[1]


@pytest.mark.parametrize(
    ("reply", "whole"),
    [
        ("", ""),
        ('{"summ', ""),
        ('{"summary": "Retail holds Rs.75.', ""),
        ('{"summary": "Retail holds Rs. 75.00. It', "Retail holds Rs. 75.00."),
        ('{"summary": "Retail leads. HNI fol', "Retail leads."),
        ('{"summary": "Retail leads.", "chart', "Retail leads."),
        ('{"chart": "pie", "summary": "It is \\"big\\". A', 'It is "big".'),
        ('{"summary": "Caf\\u00e9 leads. Then\\u00', "Café leads."),
        ('{"summary": "One. Two\\', "One."),
        ('{"summary": "One. \\x41 two. Three', ""),
        ('{"summary": "One. \\q two. Three', ""),
        ('<think>{"summary": "No. Never"}', ""),
        ('<think>{"summary": "No. Never"}</think>{"summary": "Yes. And', "Yes."),
        ('```json\n{"summary": "One\\nline. More', "One line."),
        ('{"summary": "Half a pair \\ud83d. Then', "Half a pair ."),
    ],
)
def test_a_growing_reply_has_the_sentences_that_are_whole(reply: str, whole: str):
    assert whole_sentences(reply) == whole


def test_a_summary_is_judged_for_a_second_while_it_drips_in_and_then_as_a_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ai_engine.llm.telling._JUDGING_S", 0.0)
    with serving(streams(TRUE, pause_s=0.06)) as server:
        insight, heard = tell(server)
    assert heard == [FIRST]
    assert insight.summary == TRUE["summary"]
    with serving(streams({**TRUE, "summary": f"{FIRST} Growth was 12%. {SECOND}"}, pause_s=0.06)) as server:
        insight, heard = tell(server)
    assert (heard, insight.summary) == ([FIRST], summarise(SEGMENTS, BANK))


@pytest.mark.parametrize("told", ["Retail holds Rs.75.00, more than Platinum.", "The Chennai branch holds Rs.75.00."])
def test_a_summary_has_no_name_that_nothing_else_has(told: str):
    with serving(says({"summary": told, "chart": "pie"})) as server:
        insight = model(server).explain(SEGMENTS, BANK, stop=NEVER)
    assert insight.summary == summarise(SEGMENTS, BANK)


@pytest.mark.parametrize(
    "told", ["Kapoor leads with Rs.75.00.", "kapoor holds Rs.75.00.", "Kapoor (Rs.75.00) leads.", "Kapoor: Rs.75.00."]
)
def test_a_name_from_nowhere_has_no_figure_as_first_word_either(told: str):
    with serving(streams({"summary": told, "chart": "pie"})) as server:
        assert tell(server)[0].summary == summarise(SEGMENTS, BANK)
    known = told.replace("Kapoor", "Retail").replace("kapoor", "Retail")
    with serving(streams({"summary": known, "chart": "pie"})) as server:
        assert tell(server)[0].summary == known


def test_the_charts_that_are_offered_tell_nothing_of_cells_that_are_not():
    sql = (
        "SELECT segment, COUNT(*) AS n, MIN(CASE WHEN full_name < 'M' THEN 1 END) AS x FROM customers GROUP BY segment"
    )
    columns = (
        SEGMENT,
        OutputColumn("n", "N", "count", "measure", adds_up=True),
        OutputColumn("x", "X", None, "measure"),
    )

    def sent(hidden: int | None) -> object:
        rows = tuple((one, 2, hidden) for one in ("Retail", "HNI", "Corporate"))
        result = QueryResult(("segment", "n", "x"), ("text", "integer", "integer"), rows)
        with serving(says({"summary": "N is 2.", "chart": "table"})) as server:
            model(server).explain(InsightTask("?", "?", sql, result, columns), BANK, stop=NEVER)
        return server.requests

    assert sent(1) == sent(None)
