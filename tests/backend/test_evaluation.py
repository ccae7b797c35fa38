"""Files of questions, comparison of rows, judgement, figures, and the command that puts them together."""

from __future__ import annotations

import json
import random
import sqlite3
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import BadConfiguration
from ai_engine.row_comparison import comparable, difference
from ai_engine.types import Answer, FailedDraft, OtherReading, QueryResult, Turn
from backend.cli import main
from backend.databases import Database, open_database
from backend.evaluation.asking import Databases, Opened, ask_all
from backend.evaluation.gold import GoldResult, at, is_ordered
from backend.evaluation.outcomes import Outcome, judge
from backend.evaluation.questions import Question, read_questions
from backend.evaluation.report import Readers, change_since, report_on, report_to_json
from backend.evaluation.table import report_text
from backend.service import Assistant
from backend.settings import Settings

CELLS = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["a", "b", ""]), st.sampled_from([0.5, 2.0]))
TABLES = st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=6))


def result(*rows: tuple[object, ...]) -> QueryResult:
    width = len(rows[0]) if rows else 1
    return QueryResult(tuple(f"c{i}" for i in range(width)), ("other",) * width, rows)  # type: ignore[arg-type]


def answered(*rows: tuple[object, ...]) -> Answer:
    return Answer("q", "answered", "m", sql="SELECT 1", result=result(*rows), timings_ms={"total": 30, "execution": 10})


def outcome(question: Question, answer: Answer, *golds: QueryResult, ordered: bool = False) -> Outcome:
    return judge(question, answer, [GoldResult(gold, ordered) for gold in golds])


# --- comparing rows


@settings(max_examples=60)
@given(TABLES, st.randoms(use_true_random=False))
def test_rows_in_another_order_with_columns_in_another_order_are_the_same(rows, shuffle: random.Random):
    places = list(range(len(rows[0])))
    shuffle.shuffle(places)
    moved = [tuple(row[place] for place in places) for row in rows]
    shuffle.shuffle(moved)
    assert difference(rows, moved, ordered=False) is None


@settings(max_examples=60)
@given(TABLES, CELLS)
def test_a_column_too_many_is_named_and_nothing_else(rows, cell):
    assert difference(rows, [(cell, *row) for row in rows], ordered=True) == "extra columns"


@settings(max_examples=60)
@given(TABLES, st.data())
def test_one_changed_cell_is_noticed(rows, data):
    row = data.draw(st.integers(0, len(rows) - 1))
    place = data.draw(st.integers(0, len(rows[0]) - 1))
    changed = list(rows)
    changed[row] = (*rows[row][:place], "another value", *rows[row][place + 1 :])
    assert difference(rows, changed, ordered=False) == "wrong value"


def test_columns_with_the_same_values_are_paired_row_by_row():
    assert difference([(1, 2), (2, 1)], [(1, 1), (2, 2)], ordered=False) == "wrong value"
    assert difference([("x", 1, 2), ("y", 2, 1)], [(2, "x", 1), (1, "y", 2)], ordered=True) is None


def test_a_gold_column_needs_a_column_of_its_own():
    assert difference([(1, 1)], [(1, 2)], ordered=False) == "wrong value"


def test_repeated_rows_count():
    assert difference([(1,), (1,), (2,)], [(1,), (2,), (2,)], ordered=False) == "wrong value"


def test_what_is_wrong_has_a_name():
    assert difference([(1,), (2,)], [(2,), (1,)], ordered=True) == "wrong order"
    assert difference([(1,), (2,)], [(1,)], ordered=True) == "missing rows"
    assert difference([(1,)], [(1,), (2,)], ordered=True) == "extra rows"
    assert difference([(1, 2)], [(1,)], ordered=True) == "missing columns"
    assert difference([], [], ordered=True) is None
    assert difference([], [(1,)], ordered=False) == "extra rows"


def test_figures_count_to_four_digits_and_a_midnight_is_its_day():
    assert comparable(Decimal("2.00004")) == comparable(2) == comparable(2.0)
    assert comparable(0.12344) != comparable(0.12334)
    assert comparable(datetime.fromisoformat("2026-03-01")) == comparable(date(2026, 3, 1))
    assert comparable(datetime.fromisoformat("2026-03-01 09:00")) != comparable(date(2026, 3, 1))


# --- statements


@pytest.mark.parametrize(
    ("sql", "ordered"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)", False),
        ("SELECT a, ROW_NUMBER() OVER (ORDER BY a) FROM t", False),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", True),
        ("WITH x AS (SELECT a FROM t ORDER BY a) SELECT a FROM x", False),
        ("SELECT 'order by' FROM t", False),
        ("SELECT ((", False),
    ],
)
def test_only_an_order_at_the_top_counts(sql: str, ordered: bool):
    assert is_ordered(sql, "sqlite") is ordered


def test_the_clock_of_a_gold_stands_still():
    sql = "SELECT DATE('now', '-7 days'), current_date, CURRENT_TIMESTAMP, datetime()"
    assert at(sql, "2026-11-18 12:00:00") == (
        "SELECT DATE('2026-11-18 12:00:00', '-7 days'), '2026-11-18', '2026-11-18 12:00:00', "
        "datetime('2026-11-18 12:00:00')"
    )


# --- files


def written(tmp_path: Path, *lines: dict[str, object]) -> Path:
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return file


def test_a_line_is_read_with_its_alternatives_and_others_fields_stay_unread(tmp_path: Path):
    line = {"question": "q", "gold_sql": "SELECT 1", "gold_alt": ["SELECT 2"], "db": "x", "source": 3}
    first, second = read_questions(written(tmp_path, line, line))
    assert first.golds == ("SELECT 1", "SELECT 2")
    assert (first.key, second.key) == ("x / q", "x / q #2")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({"gold_sql": "SELECT 1"}, "no text under `question`"),
        ({"question": "q"}, "if, and only if"),
        ({"question": "q", "gold_sql": "SELECT 1", "expect": "refused"}, "if, and only if"),
        ({"question": "q", "expect": "denied"}, "'denied'"),
        ({"question": "q", "gold_sql": "SELECT 1", "gold_alt": "SELECT 2"}, "`gold_alt`"),
        ({"question": "q", "gold_sql": 1}, "`gold_sql` is not text"),
        (["q"], "not a JSON object"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: dict[str, object], complaint: str):
    with pytest.raises(BadConfiguration, match="line 2") as refusal:
        read_questions(written(tmp_path, {"question": "fine", "expect": "about"}, line))
    assert complaint in str(refusal.value)


def test_an_empty_file_is_no_question_set(tmp_path: Path):
    with pytest.raises(BadConfiguration, match="holds no question"):
        read_questions(written(tmp_path))


# --- judging


ROWS = Question("k", "q", ("SELECT 1",))
NO_ROWS = Question("k", "q", expect="refused")
TOO_SLOW = FailedDraft("SELECT 1", "stopped", "It took too long.", "execution", "QueryTimedOut")


def test_any_of_the_golds_makes_an_answer_right():
    assert outcome(ROWS, answered((2,)), result((1,)), result((2,))).verdict == "right"


def test_a_wrong_answer_is_named_after_the_nearest_gold():
    judged = outcome(ROWS, answered((2,)), result((1,), (2,)), result((3,)))
    assert (judged.verdict, judged.reason) == ("wrong", "wrong value")


def test_extra_columns_are_neither_right_nor_wrong():
    assert outcome(ROWS, answered((1, "x")), result((1,))).verdict == "extra columns"


@pytest.mark.parametrize(
    ("status", "verdict", "reason"),
    [("refused", "refused", "nothing"), ("clarify", "clarified", "nothing"), ("failed", "failed", "error")],
)
def test_an_answer_without_rows_is_not_wrong_with_confidence(status, verdict: str, reason: str):
    judged = outcome(ROWS, Answer("q", status, "m"), result((1,)))
    assert (judged.verdict, judged.reason) == (verdict, reason)


@pytest.mark.parametrize(
    "answer",
    [
        Answer("q", "failed", "m", error_kind="QueryTimedOut"),
        Answer("q", "failed", "m", error_kind="NoFurtherDraft", failures=(TOO_SLOW,)),
    ],
)
def test_a_timeout_has_its_own_name(answer: Answer):
    judged = outcome(ROWS, answer, result((1,)))
    assert (judged.verdict, judged.reason) == ("failed", "timeout")


def test_figures_where_none_were_due_are_wrong_with_confidence():
    assert outcome(NO_ROWS, answered((1,))).verdict == "wrong"
    assert outcome(Question("k", "hello", expect="about"), answered((1,))).verdict == "wrong"


def test_a_refusal_that_was_due_is_right_and_a_counter_question_too():
    refused, asked_back = (outcome(NO_ROWS, Answer("q", status, "m")) for status in ("refused", "clarify"))
    assert (refused.verdict, refused.expected_status) == ("right", True)
    assert (asked_back.verdict, asked_back.expected_status) == ("right", False)


def test_a_counter_question_is_reported_with_its_choices():
    asked_back = Answer("q", "clarify", "m", choices=("this", "that"), error="Which one?")
    assert outcome(ROWS, asked_back, result((1,))).said == "this | that"


def test_an_answer_about_the_data_is_no_answer_with_figures():
    about = Answer("q", "answered", "m")
    assert outcome(Question("k", "hello", expect="about"), about).verdict == "right"
    assert outcome(ROWS, about, result((1,))).verdict == "failed"


def test_a_question_whose_golds_do_not_run_is_left_out():
    judged = outcome(ROWS, answered((1,)))
    assert (judged.verdict, report_on([judged]).total.asked) == ("left out", 0)


def test_the_databases_time_is_taken_off():
    assert outcome(ROWS, answered((1,)), result((1,))).thinking_ms == 20


# --- figures


def outcomes(**verdicts: str) -> list[Outcome]:
    return [
        Outcome(Question(key, key, ("SELECT 1",), difficulty=key), verdict, "", None, "", "", True, 1.0, 1.0)  # type: ignore[arg-type]
        for key, verdict in verdicts.items()
    ]


def test_figures_are_shares_of_the_questions_judged():
    total = report_on(outcomes(a="right", b="extra columns", c="wrong", d="refused", e="left out")).total
    assert (total.accuracy, total.accuracy_extra_columns, total.wrong_but_confident) == (25, 50, 25)


def test_answers_are_counted_by_mark_and_the_two_readers_against_each_other():
    one = Question("q", "q", ("SELECT 1",))
    right, wrong = answered((1,)), answered((2,))
    other = OtherReading("another", "SELECT 1", right.result)
    judged = [
        outcome(one, replace(right, trust="agreed"), right.result),
        outcome(one, replace(wrong, trust="compiled", other_reading=other), right.result),
        outcome(one, replace(right, trust="free SQL"), right.result),
    ]
    report = report_on(judged)
    assert report.readers == Readers(compared=2, agreed=1, model_right=1, built_in_right=2)
    assert {name: score.accuracy for name, score in report.by_mark.items()} == {
        "agreed": 100.0, "compiled": 0.0, "free SQL": 100.0
    }  # fmt: skip
    assert "two readers compared: 2, agreed 1; right by the model 1, by the built-in reader 2" in report_text(report)
    written = report_to_json(report)
    assert written["by_mark"]["compiled"] == {"wrong": 1}
    assert written["readers"]["built_in_right"] == 2


def test_fewer_right_or_more_wrong_is_a_regression():
    before = {"a": "right", "b": "refused"}
    assert not change_since(before, outcomes(a="right", b="refused")).is_regression  # type: ignore[arg-type]
    assert not change_since(before, outcomes(a="refused", b="right")).is_regression  # type: ignore[arg-type]
    assert change_since(before, outcomes(a="refused", b="refused")).is_regression  # type: ignore[arg-type]
    assert change_since(before, outcomes(a="right", b="wrong")).is_regression  # type: ignore[arg-type]


def test_only_questions_of_both_reports_are_compared():
    change = change_since({"a": "right", "gone": "right"}, outcomes(a="right", new="wrong"))
    assert (change.compared, change.is_regression) == (1, False)


def test_what_became_right_and_what_no_longer_is_are_named():
    change = change_since({"a": "right", "b": "wrong"}, outcomes(a="extra columns", b="right"))
    assert (change.newly_right, change.newly_wrong) == (("b",), ("a",))


def test_the_text_and_the_object_tell_the_same():
    report = report_on(outcomes(a="right", b="wrong"))
    assert report_to_json(report)["accuracy"] == 50
    assert "accuracy                50.00 %" in report_text(report)


# --- the command


@pytest.fixture
def branches(tmp_path: Path) -> Path:
    """A folder with the database `little.sqlite`."""
    with sqlite3.connect(tmp_path / "little.sqlite") as connection:
        connection.execute(
            "CREATE TABLE branches (branch_id INTEGER PRIMARY KEY, city TEXT, zone_cd TEXT, staff INTEGER)"
        )
        rows = [(1, "Pune", "W", 5), (2, "Pune", "W", 7), (3, "Agra", "N", 9)]
        connection.executemany("INSERT INTO branches VALUES (?, ?, ?, ?)", rows)
    connection.close()
    return tmp_path


COUNT = {"question": "how many branches are there?", "gold_sql": "SELECT COUNT(*) FROM branches", "db": "little"}
GIBBERISH = {"question": "blorp the flimflam", "expect": "refused", "db": "little"}


def test_a_file_is_asked_on_the_databases_of_a_folder(branches: Path, capsys: pytest.CaptureFixture[str]):
    report = branches / "report.json"
    questions = written(branches, COUNT, GIBBERISH)
    assert main(["evaluate", str(questions), "--db-dir", str(branches), "--out", str(report)]) == 0
    assert "accuracy               100.00 %" in capsys.readouterr().out
    assert json.loads(report.read_text())["verdicts"] == {"right": 2}


def test_the_status_says_that_the_baseline_was_better(branches: Path, capsys: pytest.CaptureFixture[str]):
    baseline = branches / "baseline.json"
    questions = written(branches, COUNT)
    call = ["evaluate", str(questions), "--database", str(branches / "little.sqlite")]
    assert main([*call, "--out", str(baseline)]) == 0
    assert main([*call, "--baseline", str(baseline)]) == 0
    written(branches, COUNT | {"gold_sql": "SELECT 99"})
    assert main([*call, "--baseline", str(baseline)]) == 1
    assert "newly wrong: 1" in capsys.readouterr().out


class Listener:
    """Stands in for the assistant of one database: counts to one, and remembers which turns it was told."""

    settings = Settings()

    def __init__(self, notes: str = "", told: list[tuple[str, ...]] | None = None, asked_back: str = "") -> None:
        self.notes, self.asked_back = notes, {asked_back}
        self.told: list[tuple[str, ...]] = [] if told is None else told

    def with_notes(self, text: str) -> Listener:
        return Listener(text, self.told)

    def ask(self, question: str, history: tuple[Turn, ...] = (), *, who: str) -> Answer:
        assert who == "local"
        self.told.append(tuple(filter(None, (self.notes, *(turn.restatement for turn in history)))))
        if question in self.asked_back:
            return Answer(question, "clarify", "m", f"{question}?", choices=("this", "that"))
        return replace(answered((1,)), question=question, restatement=f"{question}!")


class OneDatabase(Databases):
    """Asks every question of one assistant."""

    def __init__(self, listener: Listener, golds: Database) -> None:
        super().__init__(Settings())
        self.opened = Opened(cast(Assistant, listener), golds, "2026-11-21 12:00:00")

    def of(self, question: Question) -> Opened:
        return self.opened


def test_evidence_is_told_with_its_question_only(branches: Path):
    evidence = "zone_cd = 'W' stands for occident"
    questions = [Question("1", "q1", ("SELECT 1",), evidence=evidence), Question("2", "q2", ("SELECT 1",))]
    listener = Listener()
    with open_database(str(branches / "little.sqlite")) as golds:
        ask_all(questions, OneDatabase(listener, golds))
    assert listener.told == [(evidence,), ()]


def test_a_turn_is_told_those_before_it_in_its_conversation_and_no_others(branches: Path):
    names = ["one", "two", "one", "", "", "one"]
    questions = [Question(str(i), f"q{i}", ("SELECT 1",), conversation=name) for i, name in enumerate(names)]
    listener = Listener()
    with open_database(str(branches / "little.sqlite")) as golds:
        judged = ask_all(questions, OneDatabase(listener, golds))
    assert listener.told == [(), (), ("q0!",), (), (), ("q0!", "q2!")]
    assert [one.verdict for one in judged] == ["right"] * 6


def test_a_turn_after_a_question_back_is_told_what_was_asked_back(branches: Path):
    questions = [Question(str(i), f"q{i}", ("SELECT 1",), conversation="one") for i in range(3)]
    listener = Listener(asked_back="q1")
    with open_database(str(branches / "little.sqlite")) as golds:
        judged = ask_all(questions, OneDatabase(listener, golds))
    assert listener.told == [(), ("q0!",), ("q0!", "q1?")]
    assert [one.verdict for one in judged] == ["right", "clarified", "right"]


def test_a_database_that_is_not_in_the_folder_is_named(branches: Path, capsys: pytest.CaptureFixture[str]):
    outside = f"../{branches.name}/little"
    questions = written(branches, COUNT | {"db": outside})
    assert main(["evaluate", str(questions), "--db-dir", str(branches)]) == 2
    assert outside in capsys.readouterr().err
