"""The reports of the product's templates hold the figures that SQL written by hand finds in the same bank."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ai_engine.errors import BadConfiguration
from ai_engine.events import EventType
from ai_engine.operators.calling import OperatorCaller
from ai_engine.operators.registry import all_operators
from ai_engine.ports import Services
from ai_engine.specialists.documents.agent import DocumentServices
from ai_engine.workflows.filling import Filled, VocabularyValues, fill
from ai_engine.workflows.recognition import recognise
from ai_engine.workflows.records import WorkflowResult
from ai_engine.workflows.report import Report, compose_report
from ai_engine.workflows.running import Engine, run_workflow
from ai_engine.workflows.step import with_operators
from backend.documents import open_document_services
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import PROJECT_ROOT, Settings, read_settings
from backend.workflows import read_templates, workflow_limits

OPERATORS = {kind.name: kind.parameters for kind in all_operators()}


@pytest.fixture(scope="module")
def bank(small_bank: Path) -> Iterator[Assistant]:
    assistant = open_assistant(read_settings(database_url=f"duckdb:///{small_bank}"))
    yield assistant
    assistant.close()


class Asked:
    """One template, asked for in words and run on a bank."""

    def __init__(self, bank: Assistant, message: str, own: Path | None = None) -> None:
        settings = Settings()
        limits = workflow_limits(settings)
        known = VocabularyValues(bank.vocabulary)
        found = recognise(message, read_templates(limits, OPERATORS, own), known)
        assert found is not None and not found.unused
        filled = fill(found.template, found.given, known, message)
        assert isinstance(filled, Filled), filled
        stop = threading.Event()
        documents = open_document_services(settings)
        services: dict[type[Any], Any] = {Services: bank.services(stop), DocumentServices: documents}
        caller = OperatorCaller(all_operators(), "r", lambda _: None, stop, services=services)
        self.events: list[tuple[EventType, Mapping[str, Any]]] = []
        engine = Engine(OPERATORS, with_operators(caller, limits), lambda *one: self.events.append(one), limits)
        self.result: WorkflowResult = asyncio.run(
            run_workflow(filled.definition, engine, run_id="r", inputs=filled.inputs, template=found.template)
        )
        self.report: Report = compose_report(self.result, "INR")

    def rows(self, step: str) -> list[list[Any]]:
        (record,) = (one for one in self.result.steps if one.id == step)
        assert record.columns is not None, record.message
        return [[row[name] for name in record.columns] for row in record.rows]


def by_hand(small_bank: Path, sql: str) -> list[list[Any]]:
    with duckdb.connect(str(small_bank), read_only=True) as connection:
        found = connection.execute(sql).fetchall()
    return [[str(cell) if hasattr(cell, "isoformat") else _number(cell) for cell in row] for row in found]


def _number(cell: Any) -> Any:
    return cell if cell is None or isinstance(cell, str) else pytest.approx(float(cell), rel=1e-9)


IN_MUMBAI = "JOIN branches b USING (branch_id) WHERE b.city = 'Mumbai'"
NPA = "100.0 * SUM(outstanding_principal) FILTER (npa_status = 'NPA') / SUM(outstanding_principal)"
LATE = "100.0 * SUM(outstanding_principal) FILTER (days_past_due >= 30) / SUM(outstanding_principal)"


def test_the_branch_review_has_the_figures_of_the_bank(bank: Assistant, small_bank: Path):
    asked = Asked(bank, "Prepare the branch review for Mumbai")
    assert asked.result.status == "completed"
    checks = {
        "glance": "SELECT SUM(balance), 100.0 * SUM(balance) FILTER (account_type IN ('Savings', 'Current'))"
        f" / SUM(balance), COUNT(*) FILTER (status = 'Active') FROM accounts {IN_MUMBAI}",
        "months": "SELECT DATE_TRUNC('month', month_end)::DATE AS m, SUM(closing_balance) FROM monthly_balances"
        f" JOIN accounts USING (account_id) {IN_MUMBAI} AND month_end > DATE '2025-09-30' GROUP BY m ORDER BY m",
        "customers": "SELECT segment, COUNT(*) FROM customers c JOIN branches b ON b.branch_id = c.home_branch_id"
        " WHERE b.city = 'Mumbai' GROUP BY 1 ORDER BY 2 DESC, 1",
        "lending": f"SELECT loan_type, SUM(outstanding_principal) FROM loans {IN_MUMBAI} GROUP BY 1 ORDER BY 2 DESC, 1",
        "overdue": f"SELECT SUM(outstanding_principal) FILTER (npa_status = 'NPA'), COALESCE({NPA}, 0),"
        f" COALESCE({LATE}, 0) FROM loans {IN_MUMBAI}",
    }
    for step, sql in checks.items():
        assert asked.rows(step) == by_hand(small_bank, sql), step
    policy = asked.report.citations
    assert policy and policy[0].document == "npa_policy.md"
    assert "more than 90 days" in asked.report.markdown
    assert asked.report.markdown.startswith("# Branch review: Mumbai\n")
    assert [content.data["widget_type"] for content in asked.report.contents].count("chart") == 3


def test_its_seven_steps_stand_beside_each_other(bank: Assistant):
    asked = Asked(bank, "branch review for Pune")
    (created,) = [data for kind, data in asked.events if kind is EventType.WORKFLOW_CREATED]
    assert created["steps"] == 7 and len(created["batches"]) == 1
    kinds = [kind for kind, _ in asked.events if kind.value.startswith("workflow.step")]
    starts = [at for at, kind in enumerate(kinds) if kind is EventType.WORKFLOW_STEP_START]
    assert starts[:4] == [0, 1, 2, 3]  # four at work before the first is done, as the bound says


def test_the_portfolio_at_risk_has_the_figures_of_the_bank(bank: Assistant, small_bank: Path):
    asked = Asked(bank, "Portfolio at risk for Retail customers")
    loans = "FROM loans JOIN customers USING (customer_id) WHERE segment = 'Retail'"
    checks = {
        "rates": "SELECT SUM(outstanding_principal), SUM(outstanding_principal) FILTER (npa_status = 'NPA'),"
        f" {NPA}, {LATE} {loans}",
        "by_type": f"SELECT loan_type, COALESCE({LATE}, 0) AS rate {loans} GROUP BY 1"
        " HAVING SUM(outstanding_principal) > 0 ORDER BY 2 DESC, 1",
        "npa": f"SELECT loan_type, SUM(outstanding_principal) {loans} AND npa_status = 'NPA' GROUP BY 1"
        " ORDER BY 2 DESC, 1",
        "overdue": "SELECT SUM(due_amount - paid_amount) FROM loan_installments JOIN loans USING (loan_id)"
        " JOIN customers USING (customer_id) WHERE segment = 'Retail' AND due_date < DATE '2026-09-30'",
    }
    for step, sql in checks.items():
        found = [row for row in asked.rows(step) if row[-1] is not None]
        assert found == by_hand(small_bank, sql), step


def test_the_month_end_summary_has_the_figures_of_the_bank(bank: Assistant, small_bank: Path):
    asked = Asked(bank, "Month-end summary for August 2026")
    assert asked.report.markdown.startswith("# Month-end summary: August 2026\n")
    in_month = "BETWEEN DATE '2026-08-01' AND DATE '2026-08-31'"
    at_end = "SELECT SUM(closing_balance) FROM monthly_balances WHERE month_end = DATE '2026-0{}-31'"
    (deposits,) = asked.rows("deposits")
    assert deposits[:2] == [by_hand(small_bank, at_end.format(month))[0][0] for month in (8, 7)]
    checks = {
        "by_type": "SELECT account_type, SUM(closing_balance) FROM monthly_balances JOIN accounts USING (account_id)"
        " WHERE month_end = DATE '2026-08-31' GROUP BY 1 ORDER BY 2 DESC, 1",
        "accounts": f"SELECT account_type, COUNT(*) FROM accounts WHERE opened_date {in_month} GROUP BY 1"
        " ORDER BY 2 DESC, 1",
        "customers": f"SELECT segment, COUNT(*) FROM customers WHERE joined_date {in_month} GROUP BY 1"
        " ORDER BY 2 DESC, 1",
        "collection": "SELECT 100.0 * SUM(paid_amount) / SUM(due_amount) FROM loan_installments"
        f" WHERE due_date {in_month}",
    }
    for step, sql in checks.items():
        assert asked.rows(step) == by_hand(small_bank, sql), step
    loans = f"SELECT loan_type, SUM(principal_amount) FROM loans WHERE disbursed_date {in_month} GROUP BY 1"
    assert {row[0]: row[1] for row in asked.rows("loans") if row[1]} == dict(by_hand(small_bank, loans))
    channels = f"SELECT channel, SUM(amount) FROM transactions WHERE posted_at::DATE {in_month} GROUP BY 1"
    assert {row[0]: row[1] for row in asked.rows("channels") if row[1]} == dict(by_hand(small_bank, channels))


def test_two_segments_stand_beside_each_other_with_the_figures_of_the_bank(bank: Assistant, small_bank: Path):
    asked = Asked(bank, "Compare Retail and SME customers")
    pair = "segment IN ('Retail', 'SME') GROUP BY 1"
    with_loans = f"FROM loans JOIN customers USING (customer_id) WHERE {pair}"
    checks = {
        "customers": f"SELECT segment, COUNT(*) FROM customers WHERE {pair}",
        "deposits": f"SELECT segment, SUM(balance) FROM accounts JOIN customers USING (customer_id) WHERE {pair}",
        "casa": "SELECT segment, 100.0 * SUM(balance) FILTER (account_type IN ('Savings', 'Current')) / SUM(balance)"
        f" FROM accounts JOIN customers USING (customer_id) WHERE {pair}",
        "loans": f"SELECT segment, SUM(outstanding_principal) {with_loans}",
        "npa": f"SELECT segment, COALESCE({NPA}, 0) {with_loans}",
        "overdue": f"SELECT segment, COALESCE({LATE}, 0) {with_loans}",
    }
    for step, sql in checks.items():
        assert dict(asked.rows(step)) == dict(by_hand(small_bank, sql)), step
    months = "SELECT DATE_TRUNC('month', month_end)::DATE AS m, segment, SUM(closing_balance) FROM monthly_balances"
    months += " JOIN accounts USING (account_id) JOIN customers USING (customer_id)"
    months += " WHERE segment IN ('Retail', 'SME') AND month_end > DATE '2025-09-30' GROUP BY 1, 2 ORDER BY 1, 2"
    assert sorted(asked.rows("months"), key=lambda row: row[:2]) == by_hand(small_bank, months)
    table = asked.report.markdown.partition("| Figure | Retail | SME |\n")[2].splitlines()
    assert [line.split(" | ")[0] for line in table[1:7]] == [
        "| Number of customers", "| Total deposits", "| CASA ratio", "| Outstanding loans", "| NPA ratio",
        "| Delinquency rate",
    ]  # fmt: skip


def test_the_template_of_the_readme_works_as_it_stands_there(bank: Assistant, small_bank: Path, tmp_path: Path):
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## Workflows\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
    (tmp_path / "city_deposits.yaml").write_text(block, encoding="utf-8")
    asked = Asked(bank, "Give me the deposits report for Mumbai", tmp_path)
    assert asked.result.status == "completed"
    at_mumbai = "SELECT branch_id, branch_name, SUM(balance) FROM accounts JOIN branches USING (branch_id)"
    at_mumbai += " WHERE city = 'Mumbai' GROUP BY 1, 2 ORDER BY 3 DESC"
    branches = by_hand(small_bank, at_mumbai)
    assert asked.rows("branches") == branches
    months = "SELECT DATE_TRUNC('month', month_end)::DATE AS m, SUM(closing_balance) FROM monthly_balances"
    months += f" JOIN accounts USING (account_id) WHERE branch_id = {branches[0][0].expected:.0f}"
    assert asked.rows("largest") == by_hand(
        small_bank, months + " AND month_end > DATE '2025-09-30' GROUP BY m ORDER BY m"
    )
    assert asked.report.citations
    for template in re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE):
        assert (PROJECT_ROOT / "data" / "workflows" / f"{template}.yaml").is_file()


def test_a_template_that_cannot_run_is_said_at_the_start(tmp_path: Path):
    limits = workflow_limits(Settings())
    (tmp_path / "mine.yaml").write_text("name: [", encoding="utf-8")
    with pytest.raises(BadConfiguration, match=r"mine\.yaml cannot run\. It is no YAML in line 1"):
        read_templates(limits, OPERATORS, tmp_path)
    own = (PROJECT_ROOT / "data" / "workflows" / "branch_review.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(own, encoding="utf-8")
    with pytest.raises(BadConfiguration, match="has the name of another: branch_review"):
        read_templates(limits, OPERATORS, tmp_path)
    with pytest.raises(BadConfiguration, match="is not there"):
        read_templates(limits, OPERATORS, tmp_path / "nowhere")
