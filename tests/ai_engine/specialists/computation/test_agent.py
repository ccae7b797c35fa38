"""The agent on the real sandbox: by rule, with a scripted model, and when either fails."""

import asyncio
import json
import threading
import time
from datetime import date
from decimal import Decimal

import pytest

from ai_engine.agent import (
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    TabularResult,
    TraceEvent,
    TraceEventType,
)
from ai_engine.errors import ModelFailed, ModelUnavailable
from ai_engine.specialists.computation.agent import ComputationAgent, ComputationServices
from ai_engine.specialists.computation.program_figures import invented_figures
from backend.sandbox import InterpreterSandbox, SandboxLimits
from tests.patience import allowed_s


class ScriptedChat:
    """Answers with the given replies in order; an exception is raised; running out of replies fails the test."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []

    def ask(self, messages, shape, make, *, stop):
        self.asked.append(messages)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        try:
            return make(shape.model_validate_json(json.dumps(reply)))
        except ValueError as fault:
            raise ModelFailed(str(fault)) from fault


@pytest.fixture(scope="module")
def sandbox():
    sandbox = InterpreterSandbox(SandboxLimits(), date(2026, 9, 30))
    yield sandbox
    sandbox.close()


@pytest.fixture
def ask(sandbox):
    events: list[TraceEvent] = []

    def ask(question, *earlier, model=None, stop=None):
        run = AgentRun(
            agent="computation",
            whole_question=question,
            emit=events.append,
            stop=stop or threading.Event(),
            deadline=time.monotonic() + 10,
            model=model,
            services={ComputationServices: ComputationServices(sandbox)},
        )
        return asyncio.run(ComputationAgent().run(AgentRequest(question=question), earlier, run))

    ask.events = events
    return ask


def found(columns, rows, *, more=None, **units):
    told = TraceEvent(event_type=TraceEventType.RESULT, agent="sql", data={"units": units, **(more or {})})
    table = TabularResult.of_rows(columns, rows)
    return AgentResult(agent="sql", status=AgentExecutionStatus.succeeded, answer="", tabular=table, trace=[told])


def test_an_emi_is_told_with_all_it_was_made_from(ask):
    result = ask("EMI on 25 lakh at 8.75 % for 20 years")
    assert result.answer == "EMI: Rs.22,092.77 a month (25,00,000 at 8.75 % a year over 240 months)."
    assert round(result.tabular.rows[0]["EMI"], 2) == Decimal("22092.77")


def test_plan_program_and_outcome_are_told_as_events(ask):
    ask("12 % of 4.5 crore")
    assert [event.event_type for event in ask.events] == ["decision", "tool", "result"]
    assert ask.events[1].data["code"].startswith("percent = ")
    assert ask.events[1].data["variables"]["result"] == Decimal(5_400_000)


def test_a_figure_found_before_is_used_and_named(ask):
    result = ask(
        "what EMI does that mean at 8.75 % over 20 years",
        found(["average amount"], [[Decimal("2745000.50")]], **{"average amount": "INR"}),
    )
    assert result.answer.startswith("EMI: Rs.24,257.86 a month")
    assert "the amount of the loan is average amount, as sql found it" in result.answer


def test_a_forecast_of_the_table_before_is_a_table_with_the_error_it_would_have_made(ask):
    rows = [(f"2026-{month:02d}", 100 + 10 * month) for month in range(1, 9)]
    result = ask("forecast the next 2 months", found(["month", "transactions"], rows))
    assert [row["period"] for row in result.tabular.rows] == ["2026-09", "2026-10"]
    assert [round(row["forecast"]) for row in result.tabular.rows] == [190, 200]


def test_a_forecast_of_money_is_told_in_rupees_and_names_its_column_in_words(ask):
    rows = [(f"2026-{month:02d}", Decimal(100_000 + 1_000 * month)) for month in range(1, 9)]
    result = ask("forecast the next two", found(["month", "total_deposits"], rows, total_deposits="INR"))
    assert result.answer.startswith(
        "Forecast of total deposits found by sql: 2026-09 Rs.1,09,000.00; 2026-10 Rs.1,10,000.00."
    )
    assert result.answer.count("nothing else changes") == 1
    assert ask.events[-1].data["units"] == {"forecast": "INR"}


def test_money_of_another_currency_stays_in_it(ask):
    rows = [(f"2026-{month:02d}", Decimal(10 * month)) for month in range(1, 9)]
    result = ask("forecast next month", found(["month", "sent"], rows, sent="USD"))
    assert "Rs." not in result.answer
    assert "90.00" in result.answer


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("EMI on 25 lakh at 8.75 % for 20 years and forecast the next two", "EMI and a forecast"),
        ("simple interest on 2 lakh at 7 % for 3 years and compound interest", "simple interest and compound interest"),
        ("what if deposits rise by 5 % and loans fall by 3 %", "2"),
    ],
)
def test_of_two_calculations_not_one_is_done_in_silence(ask, question, named):
    rows = [(f"2026-{month:02d}", Decimal(month), month) for month in range(1, 9)]
    result = ask(question, found(["month", "deposits", "loans"], rows))
    assert (result.status, result.error.type) == (AgentExecutionStatus.failed, "SeveralAsked")
    assert named in result.error.message


@pytest.mark.parametrize(
    ("question", "kind", "says"),
    [
        ("EMI on 25 lakh for 20 years", "InputMissing", "the rate"),
        ("what is the capital of France", "NotRecognised", "capital of France"),
        ("5 divided by 0", "ComputationFailed", "failed"),
    ],
)
def test_what_cannot_be_calculated_is_declined_by_name(ask, question, kind, says):
    result = ask(question)
    assert (result.status, result.error.type) == (AgentExecutionStatus.failed, kind)
    assert says in result.error.message


PLAN = {
    "steps": ["Multiply."],
    "code": "result = Decimal('2.5') * 4",
    "unit": "money",
    "sentence": "The fee is {result} in all.",
    "missing": "",
}


def test_a_model_plans_once_and_its_sentence_tells_the_figure(ask):
    model = ScriptedChat(PLAN)
    assert ask("what does the fee of 2.5 four times come to", model=model).answer == "The fee is Rs.10.00 in all."
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "sentence",
    ["It is {result}.", "2.5 four times comes to {result}.", "The result is {result} in total.", "{result}",
     "That is {result}, as asked.", "The total comes to {result} for 2.5."],
)  # fmt: skip
def test_a_plain_sentence_tells_the_figure(ask, sentence):
    answer = ask("what does 2.5 four times come to", model=ScriptedChat({**PLAN, "sentence": sentence})).answer
    assert answer == sentence.replace("{result}", "Rs.10.00")


def test_a_sentence_with_a_figure_of_its_own_is_replaced(ask):
    model = ScriptedChat({**PLAN, "sentence": "The fee is {result}, 9999 in all."})
    assert "9999" not in ask("what does the fee of 2.5 four times come to", model=model).answer


@pytest.mark.parametrize(
    "sentence",
    ["It is {result} lakh.", "It is {result}, twofold.", "It is {result} <b>x</b>", "It is {result} ![a](http://e/x)",
     "It is {result} \u0932\u093e\u0916.", "It is minus {result}.", "It is ${result}.", "It is {result} yen.",
     "It is {result} overdrawn.", "It is \u2010{result}.", "It is \uff0d{result}.", "It is {result} point 1.",
     "It is {result} point four.", "It is \u221a{result}.", "It is {result}1.", "It is {result}%.", "It is {result}x.",
     "It is {result} 4%.", "It is {result} 4x.", "It is \u221a4 {result}.", "It is {result}/4.",
     "It is {result} myriad.",
     "It is not {result} at all.", "It is {result}, which is not so.",
     "It is {result} four times.", "It is {result}, 2.5 more.", "It is {result} and 2.5."],
)  # fmt: skip
def test_a_sentence_that_makes_another_figure_of_the_result_or_marks_it_up_is_replaced(ask, sentence):
    answer = ask("what does 2.5 four times come to", model=ScriptedChat({**PLAN, "sentence": sentence})).answer
    assert answer == "Result: Rs.10.00 (as asked)."


@pytest.mark.parametrize(
    "code",
    ["result = Decimal('987654321')", "result = 1000 * 1000 * 1000", "n = 100000\nresult = n * 12",
     "result = {'columns': ['branch 9,876 crore'], 'rows': [[1]]}", "result = 'Deposits are nine crore'",
     "raise ValueError('Total deposits are Rs 9,876 crore')", "result = 100000",
     "result = ord('\u9e7f') * 25", "result = sum(map(ord, 'abc')) * 25", "result = hash('25 lakh')",
     "result = b'abc'[0]", "result = len('aaaaaaaaaaaa')", "result = (987654321j).imag", "math.pi",
     "result = int(str(math.pi).replace('.', ''))", "result = (True + True) ** (True + True + True)",
     "result = 'aaaaaaa'.count('a')", "result = 'abcdefgh'.index('h')", "result = date(1987, 6, 5).year",
     "result = len([x for x in (None, None, None)])", "a = 25\nresult = (date(2030, 5, 3) - date(2000, 1, 1)).days",
     "f = lambda text: text.count('a')\na = Decimal('8.75')\nresult = f('aaaa')", "result = emi(True, True, True)",
     "result = 'so many'", "for x in (None, None):\n    result = True + True\nprint(2500000)",
     "result = {'columns': ['\u2463\u2461'], 'rows': [[25]]}",
     "a = 25\nresult = (True + True + True) * a", "a = 25\nresult = a * ((a > 20) + (a > 20))",
     "a = 25\nso = a > 20\nresult = a * (so + so + so)", "a = 25\nresult = a * sum([a > 20, a > 20])",
     "a = 25\nresult = 'abcdefghij'.find('j') * a", "a = 25\nresult = int(str(a) * 3)", "result = int(f'{25}{20}')",
     "a = 25\nfor at, _ in enumerate('abcdefghijk'):\n    pass\nresult = at * a", "a = 25\nresult = len(str(a)) * a",
     "a = 25\nn = 1\nn += 1\nn += 1\nresult = n * a", "a = 25\nn = 1\nn = n + 1\nn = n + 1\nresult = n * a",
     "a = 25\nb = a\nresult = a * (a / b + a / b)", "a = 25\nresult = a * (a**0 + a**0)", "result = 25 << 20",
     "a = 25\nresult = a * sum(1 for _ in 'abcdefgh')", "a = 25\nresult = a * sum([1, 1, 1, 1, 1])"],
)  # fmt: skip
def test_a_program_with_figures_that_nobody_gave_does_not_run_and_rules_take_over(ask, code):
    result = ask("EMI on 25 lakh at 8.75 % for 20 years", model=ScriptedChat({**PLAN, "code": code}))
    assert "Rs.22,092.77" in result.answer
    assert "neither the question nor a table says" in " ".join(event.message for event in ask.events)


def test_a_program_with_a_number_that_nobody_can_calculate_with_is_sent_back_and_rules_take_over(ask):
    model = ScriptedChat({**PLAN, "code": "result = Decimal('1e999999999') + 5"})
    assert "Rs.22,092.77" in ask("EMI on 25 lakh at 8.75 % for 20 years", model=model).answer


@pytest.mark.parametrize(
    "code",
    ["result = emi(Decimal('2500000'), Decimal('8.75'), 240)",
     "a = Decimal('25') * 100000\nresult = a * Decimal('0.0875') / 12",
     "rate = Decimal('8.75') / 100 / 12\nresult = 2500000 * rate", "start = date(2026, 4, 1)\nresult = 20 * 12",
     "rows = []\nfor year in range(20):\n    rows.append([year])\nresult = {'columns': ['year'], 'rows': rows}",
     "def double(a):\n    return a + a\nresult = double(20)", "n = 0\nwhile n < 20:\n    n = n + 1\nresult = n",
     "result = max(a for a in (20, 12))", "total = 0\nif 20 > 12:\n    total = 1\nresult = total", "20 * 12",
     "values = [25, 20]\nresult = sum(values) / len(values)", "b = 25\nb = b * 20\nb = b * 20\nresult = b",
     "def of(a):\n n = 0\n for at, each in enumerate(a):\n  n += each * at\n return n\nresult = of([25, 20])",
     "b, n = Decimal(25), 0\nwhile b > 20:\n    b = b / 2\n    n += 1\nresult = n",
     "rows = []\nfor at in range(12):\n    rows.append([at + 1, 25])\nresult = {'columns': ['month'], 'rows': rows}",
     "total = Decimal(0)\nfor each in ('25', '20'):\n    total += Decimal(str(each).replace(',', ''))\nresult = total"],
)  # fmt: skip
def test_figures_of_the_question_and_units_of_conversion_are_no_inventions(code):
    assert invented_figures(code, "EMI on 25 lakh at 8.75 % for 20 years", ()) == ()


def test_a_program_over_a_table_needs_no_figure_of_the_question(ask):
    plan = {**PLAN, "code": "result = sum(exact_list(column_of(table, 'deposits')))", "sentence": "In all {result}."}
    model = ScriptedChat(plan)
    earlier = found(["branch", "deposits"], [("Pune", Decimal("4711.5")), ("Agra", Decimal("815.25"))], deposits="INR")
    assert ask("add it all up", earlier, model=model).answer == "In all Rs.5,526.75."
    assert "4711" not in str(model.asked) and "Pune" not in str(model.asked)


def test_a_model_is_told_nothing_of_how_many_rows_or_cells_a_table_has(ask):
    asked = []
    for rows in ([("Pune", Decimal("1.5"), None)], [("Agra", Decimal("2.5"), "a")] * 37):
        model = ScriptedChat(
            {**PLAN, "code": "result = sum(column_of(table, 'deposits'))", "sentence": "In all {result}."}
        )
        ask("add it all up", found(["branch", "deposits", "note"], rows, deposits="INR"), model=model)
        asked += model.asked
    assert str(asked[0]) == str(asked[1])


def test_of_rows_that_may_not_leave_a_model_is_told_no_kind_and_no_columns_that_a_program_made_of_cells(ask):
    asked = []
    for name, income in (("Kavita Bose", Decimal("4711.5")), ("Zubin", None)):
        model = ScriptedChat({**PLAN, "code": "result = 20 * 12", "sentence": "In all {result}."})
        of_rows = {"query": "SELECT name, income FROM customers", "may_leave": False}
        stated = found(["name", "income"], [(name, income)], more=of_rows)
        ask("20 times 12 of it", stated, found(name.split(), [[income] * len(name.split())]), model=model)
        asked += model.asked
    assert str(asked[0]) == str(asked[1])
    assert "sql_table: columns name, income" in str(asked[0])


@pytest.mark.parametrize("missing", ["the deposit total of Rs.9,876 crore", "the \u2463\u2461 crore of deposits"])
def test_what_a_model_says_is_missing_bears_no_figure_of_its_own(ask, missing):
    model = ScriptedChat({**PLAN, "code": "", "missing": missing})
    assert ask("what does the fee come to", model=model).error.message == (
        "the calculation needs more than the question says."
    )


def test_a_model_that_is_away_is_told_and_rules_take_over(ask):
    result = ask("12 % of 4.5 crore", model=ScriptedChat(ModelUnavailable("no route")))
    assert "54,00,000" in result.answer
    assert ask.events[0].event_type is TraceEventType.ERROR


def test_a_program_of_the_model_that_reaches_out_is_a_violation_and_nothing_else_happens(ask):
    model = ScriptedChat({**PLAN, "code": "import os\nresult = os.listdir('/')"})
    result = ask("list the files", model=model)
    assert result.error.type == "SandboxViolation"
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "code", ["result = deposits_are_987654321", "raise ValueError('see https://evil.example/x')",
             "raise ValueError(str(25) + str(25))"],
)  # fmt: skip
def test_why_a_program_of_the_model_failed_is_told_without_what_it_put_there(ask, code):
    result = ask("EMI on 25 lakh at 8.75 % for 20 years", model=ScriptedChat({**PLAN, "code": code}))
    assert result.error.message == "The calculation failed."


@pytest.mark.parametrize(
    ("error", "says"),
    [("ValueError", "The calculation failed."), ("ZeroDivisionError", "The calculation failed: division by zero."),
     ("MemoryError", "The program was not let through.")],
)  # fmt: skip
def test_nor_does_the_reason_tell_a_cell_that_the_program_put_there_but_the_trace_does(ask, error, says):
    model = ScriptedChat({**PLAN, "code": f'raise {error}("; ".join(column_of(table, "name")))'})
    result = ask("how many names are there", found(["name"], [("Naveen Chauhan",), ("Asha Rao",)]), model=model)
    assert result.error.message == says
    assert "Naveen Chauhan" in next(one.data["error"] for one in ask.events if "error" in one.data)


def test_what_a_model_says_is_missing_is_asked_for(ask):
    model = ScriptedChat({**PLAN, "code": "", "missing": "the rate"})
    assert "the rate" in ask("EMI on 25 lakh", model=model).error.message


def test_a_stop_ends_a_running_program(ask):
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    assert ask("loop", model=ScriptedChat({**PLAN, "code": "while True: pass"}), stop=stop).error.type == "Stopped"
    assert time.monotonic() - began < allowed_s(1.5)


@pytest.mark.parametrize(
    ("part", "least", "most"),
    [
        ("EMI on 25 lakh at 8.75 % for 20 years", 1, 1),
        ("what EMI does that mean at 8.75 % over 20 years", 0.8, 0.95),
        ("project next quarter from the last eight", 0.5, 0.95),
        ("EMI on 25 lakh at 8.75 % for 20 years and forecast the next two", 0.1, 0.7),
        ("how many customers are there", 0, 0),
        ("average balance of savings accounts in Pune", 0, 0),
    ],
)
def test_it_claims_what_it_can_calculate(sandbox, part, least, most):
    run = AgentRun("computation", part, lambda _: None, threading.Event(), 0.0)
    assert least <= ComputationAgent().claim(part, run) <= most


@pytest.mark.parametrize(
    ("question", "added"),
    [
        ("three month moving average", {"average of 3": "INR"}),
        ("growth per month", {"growth in percent": "percent"}),
        ("share of the total", {"share in percent": "percent"}),
        ("what if deposits rise by 10 %", {"deposits +10 %": "INR"}),
        ("forecast the next month", {"forecast": "INR"}),
    ],
)
def test_columns_that_are_added_bear_their_unit_and_the_others_keep_theirs(ask, question, added):
    months = [(date(2026, month, 1), Decimal(100 + month)) for month in range(1, 7)]
    ask(question, found(["month", "deposits"], months, deposits="INR"))
    [told] = [event for event in ask.events if event.event_type is TraceEventType.RESULT][-1:]
    kept = {} if "forecast" in question else {"deposits": "INR"}
    assert told.data["units"] == added | kept


def test_the_columns_of_a_repayment_schedule_are_money_and_its_months_are_not(ask):
    ask("amortisation schedule for 5 lakh at 9 % for 2 years")
    units = [event for event in ask.events if event.event_type is TraceEventType.RESULT][-1].data["units"]
    assert set(units.values()) == {"INR"} and not {"month", "instalment_number"} & set(units)


def test_names_that_double_with_every_line_are_judged_once_each():
    lines = ["a0 = 1", *(f"a{step} = a{step - 1} + a{step - 1}" for step in range(1, 200)), "result = a199"]
    assert invented_figures("\n".join(lines), "EMI on 25 lakh", ()) != ()
