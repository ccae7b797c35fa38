"""The sample bank's tables and columns: the one source of its DDL, comments and documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ID = "INTEGER"
COUNT = "INTEGER"
TEXT = "VARCHAR"
MONEY = "DECIMAL(15,2)"
RATE = "DECIMAL(5,2)"
DATE = "DATE"
TIMESTAMP = "TIMESTAMP"


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `references` names the table whose column of the same meaning it points at, as `table.column`."""

    name: str
    type: str
    description: str
    nullable: bool = False
    references: str | None = None


@dataclass(frozen=True)
class Table:
    """One table; columns stand in the order in which rows are written."""

    name: str
    description: str
    primary_key: tuple[str, ...]
    columns: tuple[Column, ...]
    indexes: tuple[str, ...] = ()

    @property
    def foreign_keys(self) -> Iterator[tuple[str, str, str]]:
        """Yield (column, referenced table, referenced column)."""
        for column in self.columns:
            if column.references:
                table, referenced = column.references.split(".")
                yield column.name, table, referenced


BANK_INFO = Table(
    "bank_info",
    "One row about the bank and the day its data stands at.",
    ("bank_name",),
    (
        Column("bank_name", TEXT, "Name of the bank, which does not exist"),
        Column("as_of_date", DATE, "The data's own today: nothing in the bank happened later"),
        Column("currency", TEXT, "ISO code of every amount"),
    ),
)

BRANCHES = Table(
    "branches",
    "The bank's branches.",
    ("branch_id",),
    (
        Column("branch_id", ID, "Key"),
        Column("ifsc_code", TEXT, "Branch code in the manner of an IFSC, with a bank prefix nobody holds"),
        Column("branch_name", TEXT, "City and locality"),
        Column("city", TEXT, "City"),
        Column("state", TEXT, "State or union territory"),
        Column("region", TEXT, "North, South, East, West or Central"),
        Column("opened_date", DATE, "First day of business"),
    ),
)

CUSTOMERS = Table(
    "customers",
    "People and companies that hold accounts.",
    ("customer_id",),
    (
        Column("customer_id", ID, "Key"),
        Column("customer_name", TEXT, "Full name of the person or the company"),
        Column("first_name", TEXT, "First name; empty for companies", nullable=True),
        Column("last_name", TEXT, "Last name; empty for companies", nullable=True),
        Column("gender", TEXT, "M or F; empty for companies", nullable=True),
        Column("date_of_birth", DATE, "Date of birth; empty for companies", nullable=True),
        Column("email", TEXT, "Synthetic address under example.com"),
        Column("phone", TEXT, "Synthetic number that cannot be dialled"),
        Column("segment", TEXT, "Retail, Premium, NRI, SME or Corporate"),
        Column("occupation", TEXT, "Occupation; Company for corporates"),
        Column("annual_income", MONEY, "Declared income per year; turnover for companies"),
        Column("credit_score", COUNT, "Bureau score, 300 to 900; empty for companies", nullable=True),
        Column("kyc_status", TEXT, "Verified, Pending or Expired"),
        Column("home_branch_id", ID, "Branch that looks after the customer", references="branches.branch_id"),
        Column("joined_date", DATE, "Day of the first account"),
    ),
    indexes=("home_branch_id",),
)

ACCOUNTS = Table(
    "accounts",
    "Deposit accounts.",
    ("account_id",),
    (
        Column("account_id", ID, "Key"),
        Column("account_number", TEXT, "Number printed on statements"),
        Column("customer_id", ID, "Holder", references="customers.customer_id"),
        Column(
            "branch_id",
            ID,
            "Branch that keeps the account; may differ from the home branch",
            False,
            "branches.branch_id",
        ),
        Column("account_type", TEXT, "Savings, Current, Fixed Deposit or Recurring Deposit"),
        Column("status", TEXT, "Active, Dormant or Closed"),
        Column("opened_date", DATE, "Day of opening"),
        Column("closed_date", DATE, "Day of closing; empty while open", nullable=True),
        Column("maturity_date", DATE, "Day a deposit falls due; empty for savings and current", nullable=True),
        Column("interest_rate", RATE, "Percent per year"),
        Column("balance", MONEY, "Balance at the end of the as-of date"),
    ),
    indexes=("customer_id", "branch_id"),
)

TRANSACTIONS = Table(
    "transactions",
    "Entries on deposit accounts over the three years up to the as-of date.",
    ("transaction_id",),
    (
        Column("transaction_id", ID, "Key"),
        Column("account_id", ID, "Account", references="accounts.account_id"),
        Column("posted_at", TIMESTAMP, "Date and time, Indian standard time without zone"),
        Column("amount", MONEY, "Amount, always positive"),
        Column("direction", TEXT, "Credit (money in) or Debit (money out)"),
        Column("transaction_type", TEXT, "What it was for: Purchase, Salary, Transfer, Interest ..."),
        Column("channel", TEXT, "UPI, NEFT, RTGS, IMPS, Card, ATM, Branch, Net Banking or System"),
        Column("merchant_category", TEXT, "Kind of merchant; only for purchases and bills", nullable=True),
        Column("status", TEXT, "Posted, Failed or Reversed; only posted entries move the balance"),
    ),
    indexes=("account_id", "posted_at"),
)

MONTHLY_BALANCES = Table(
    "monthly_balances",
    "One row per account and month end on which the account was open.",
    ("account_id", "month_end"),
    (
        Column("account_id", ID, "Account", references="accounts.account_id"),
        Column("month_end", DATE, "Last day of the month"),
        Column("closing_balance", MONEY, "Balance at the end of that day"),
        Column("average_balance", MONEY, "Mean of the end-of-day balances of the month's days"),
        Column("total_credits", MONEY, "Posted credits of the month"),
        Column("total_debits", MONEY, "Posted debits of the month"),
    ),
    indexes=("month_end",),
)

LOANS = Table(
    "loans",
    "Loans, running and repaid.",
    ("loan_id",),
    (
        Column("loan_id", ID, "Key"),
        Column("loan_number", TEXT, "Number printed on the agreement"),
        Column("customer_id", ID, "Borrower", references="customers.customer_id"),
        Column("branch_id", ID, "Branch that granted the loan", references="branches.branch_id"),
        Column("loan_type", TEXT, "Home, Personal, Vehicle, Education, Gold, Business or Agriculture Loan"),
        Column("status", TEXT, "Active or Closed"),
        Column("disbursed_date", DATE, "Day the money was paid out"),
        Column("maturity_date", DATE, "Day the last instalment is due"),
        Column("closed_date", DATE, "Day the last instalment was paid; empty while running", nullable=True),
        Column("principal_amount", MONEY, "Amount disbursed"),
        Column("interest_rate", RATE, "Percent per year"),
        Column("term_months", COUNT, "Number of monthly instalments"),
        Column("emi_amount", MONEY, "Equated monthly instalment"),
        Column("outstanding_principal", MONEY, "Principal not yet repaid"),
        Column("days_past_due", COUNT, "Days since the oldest unpaid instalment fell due, 0 when none"),
        Column("npa_status", TEXT, "NPA when more than 90 days past due, else Standard"),
    ),
    indexes=("customer_id", "branch_id"),
)

LOAN_INSTALLMENTS = Table(
    "loan_installments",
    "The repayment schedule of every loan.",
    ("installment_id",),
    (
        Column("installment_id", ID, "Key"),
        Column("loan_id", ID, "Loan", references="loans.loan_id"),
        Column("installment_number", COUNT, "1 for the first"),
        Column("due_date", DATE, "Due date"),
        Column("due_amount", MONEY, "Instalment: principal and interest"),
        Column("principal_due", MONEY, "Principal part"),
        Column("interest_due", MONEY, "Interest part"),
        Column("paid_amount", MONEY, "Paid so far"),
        Column("paid_date", DATE, "Day of payment; empty while unpaid", nullable=True),
        Column("status", TEXT, "Paid, Overdue or Upcoming"),
    ),
    indexes=("loan_id", "due_date"),
)

LOAN_REPAYMENTS = Table(
    "loan_repayments",
    "Payments received on loans.",
    ("repayment_id",),
    (
        Column("repayment_id", ID, "Key"),
        Column("loan_id", ID, "Loan", references="loans.loan_id"),
        Column("installment_id", ID, "Instalment it settles", references="loan_installments.installment_id"),
        Column("repayment_date", DATE, "Day of payment"),
        Column("amount", MONEY, "Amount paid"),
        Column("principal_amount", MONEY, "Part that lowers the outstanding principal"),
        Column("interest_amount", MONEY, "Part that is interest"),
        Column("payment_mode", TEXT, "NACH, UPI, NEFT, Cheque or Cash"),
    ),
    indexes=("loan_id", "repayment_date"),
)

CARDS = Table(
    "cards",
    "Debit and credit cards.",
    ("card_id",),
    (
        Column("card_id", ID, "Key"),
        Column("card_number", TEXT, "Masked number, last four digits only"),
        Column("customer_id", ID, "Holder", references="customers.customer_id"),
        Column("account_id", ID, "Account a debit card draws on; empty for credit cards", True, "accounts.account_id"),
        Column("card_type", TEXT, "Debit or Credit"),
        Column("network", TEXT, "RuPay, Visa or Mastercard"),
        Column("status", TEXT, "Active, Blocked or Expired"),
        Column("issued_date", DATE, "Day of issue"),
        Column("expiry_date", DATE, "Last day of validity"),
        Column("credit_limit", MONEY, "Limit of a credit card; empty for debit cards", nullable=True),
        Column("outstanding_amount", MONEY, "Owed on a credit card; empty for debit cards", nullable=True),
    ),
    indexes=("customer_id", "account_id"),
)

TABLES = (
    BANK_INFO,
    BRANCHES,
    CUSTOMERS,
    ACCOUNTS,
    TRANSACTIONS,
    MONTHLY_BALANCES,
    LOANS,
    LOAN_INSTALLMENTS,
    LOAN_REPAYMENTS,
    CARDS,
)
"""Every table, parents before children."""

BY_NAME = {table.name: table for table in TABLES}


def create_statement(table: Table, *, foreign_keys: bool = True) -> str:
    """Return CREATE TABLE with keys, in words DuckDB, SQLite and PostgreSQL share."""
    lines = [f"{column.name} {column.type}{'' if column.nullable else ' NOT NULL'}" for column in table.columns]
    lines.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
    if foreign_keys:
        lines += [_foreign_key(*key) for key in table.foreign_keys]
    body = ",\n    ".join(lines)
    return f"CREATE TABLE {table.name} (\n    {body}\n)"


def foreign_key_statements(table: Table) -> Iterator[str]:
    """Yield ALTER TABLE statements that add the foreign keys, for engines that check them faster after loading."""
    for key in table.foreign_keys:
        yield f"ALTER TABLE {table.name} ADD {_foreign_key(*key)}"


def comment_statements(table: Table) -> Iterator[str]:
    """Yield COMMENT ON statements (DuckDB, PostgreSQL) that carry the descriptions into the database."""
    yield f"COMMENT ON TABLE {table.name} IS {_literal(table.description)}"
    for column in table.columns:
        yield f"COMMENT ON COLUMN {table.name}.{column.name} IS {_literal(column.description)}"


def index_statements(table: Table) -> Iterator[str]:
    """Yield CREATE INDEX statements for row stores."""
    for column in table.indexes:
        yield f"CREATE INDEX {table.name}_{column} ON {table.name} ({column})"


def _foreign_key(column: str, to: str, key: str) -> str:
    return f"FOREIGN KEY ({column}) REFERENCES {to} ({key})"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
