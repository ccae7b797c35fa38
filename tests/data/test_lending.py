"""Loans amortise and their state follows from what was paid. Queries ask for offenders."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from tests.data.conftest import Ask

PAISA = Decimal("0.01")


def test_a_schedule_is_the_one_the_emi_formula_gives(ask: Ask) -> None:
    """Recomputed in exact decimals, instalment by instalment."""
    loans = ask("SELECT loan_id, principal_amount, interest_rate, term_months, emi_amount FROM loans")
    rows = ask("""
        SELECT loan_id, principal_due, interest_due, due_amount FROM loan_installments
        ORDER BY loan_id, installment_number
    """)
    schedules: dict[int, list[tuple[Decimal, ...]]] = {}
    for loan, *amounts in rows:
        schedules.setdefault(loan, []).append(tuple(amounts))
    assert schedules.keys() == {loan for loan, *_ in loans}
    for loan, principal, rate, term, emi in loans:
        monthly = rate / 1200
        growth = (1 + monthly) ** term
        assert abs(principal * monthly * growth / (growth - 1) - emi) <= PAISA
        assert schedules[loan] == schedule(principal, monthly, term, emi)


def schedule(principal: Decimal, monthly: Decimal, term: int, emi: Decimal) -> list[tuple[Decimal, ...]]:
    balance, found = principal, []
    for number in range(1, term + 1):
        interest = (balance * monthly).quantize(PAISA, ROUND_HALF_UP)
        part = balance if number == term else emi - interest
        found.append((part, interest, part + interest))
        balance -= part
    return found


def test_outstanding_is_principal_less_principal_repaid(ask: Ask) -> None:
    assert not ask("""
        SELECT loan_id FROM loans AS l LEFT JOIN loan_repayments AS r USING (loan_id) GROUP BY ALL
        HAVING ANY_VALUE(l.outstanding_principal)
            <> ANY_VALUE(l.principal_amount) - COALESCE(SUM(r.principal_amount), 0)
    """)


def test_a_repayment_settles_its_instalment(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM loan_installments AS i FULL JOIN loan_repayments AS r USING (installment_id)
        WHERE COALESCE(i.status, '') = 'Paid' AND (
                r.amount, r.principal_amount, r.interest_amount, r.repayment_date, r.loan_id
              ) IS DISTINCT FROM (i.due_amount, i.principal_due, i.interest_due, i.paid_date, i.loan_id)
           OR COALESCE(i.status, '') <> 'Paid' AND r.repayment_id IS NOT NULL
    """)


def test_an_instalment_is_paid_overdue_or_upcoming(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM loan_installments, bank_info WHERE status <> CASE
            WHEN paid_amount = due_amount THEN 'Paid' WHEN due_date < as_of_date THEN 'Overdue' ELSE 'Upcoming' END
           OR (paid_date IS NOT NULL) <> (status = 'Paid') OR (status <> 'Paid' AND paid_amount <> 0)
           OR paid_date > as_of_date OR paid_date < due_date
    """)


def test_the_oldest_instalment_is_paid_first(ask: Ask) -> None:
    assert not ask("""
        SELECT loan_id FROM loan_installments GROUP BY loan_id
        HAVING MAX(installment_number) FILTER (status = 'Paid') > MIN(installment_number) FILTER (status <> 'Paid')
    """)


def test_days_past_due_and_npa_follow_from_the_oldest_unpaid_instalment(ask: Ask) -> None:
    assert not ask("""
        SELECT l.loan_id, days_past_due, npa_status, MIN(due_date) FILTER (i.status = 'Overdue') AS oldest
        FROM loans AS l JOIN loan_installments AS i USING (loan_id), bank_info GROUP BY ALL
        HAVING days_past_due <> COALESCE(ANY_VALUE(as_of_date) - oldest, 0)
            OR npa_status <> CASE WHEN days_past_due > 90 THEN 'NPA' ELSE 'Standard' END
    """)


def test_a_loan_is_closed_when_nothing_is_outstanding(ask: Ask) -> None:
    assert not ask("""
        SELECT l.* FROM loans AS l JOIN (
            SELECT loan_id, MAX(paid_date) AS last_paid, MAX(due_date) AS last_due
            FROM loan_installments GROUP BY loan_id
        ) USING (loan_id)
        WHERE (status = 'Closed') <> (outstanding_principal = 0)
           OR closed_date IS DISTINCT FROM CASE WHEN status = 'Closed' THEN last_paid END
           OR maturity_date <> last_due
    """)


def test_instalments_fall_due_month_by_month_after_the_disbursal(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM loan_installments JOIN loans USING (loan_id)
        WHERE 12 * (year(due_date) - year(disbursed_date)) + month(due_date) - month(disbursed_date)
              <> installment_number
           OR day(due_date) <> LEAST(day(disbursed_date), 28)
    """)


def test_no_loan_is_older_than_its_borrower_or_younger_than_the_data(ask: Ask) -> None:
    assert not ask("""
        SELECT * FROM loans JOIN customers USING (customer_id), bank_info
        WHERE disbursed_date < joined_date OR disbursed_date > as_of_date
    """)
