"""The whole bank as a stream of tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from data.generate.accounts import accounts, accounts_table
from data.generate.arrow import dates
from data.generate.cards import cards
from data.generate.geography import branches
from data.generate.ledger import last_used, ledger, monthly_balances_table, transactions_table
from data.generate.lending import lending
from data.generate.people import customers, customers_table
from data.generate.plan import Plan

BANK_NAME = "Suvarna Sample Bank"
BLOCK = 20_000


def tables(plan: Plan) -> Iterator[tuple[str, pa.Table]]:
    """Yield (table name, rows); a table may come in several parts, and every row after the rows it points at.

    Memory stays flat: one block of accounts, with its entries and month ends, is alive at a time.
    """
    yield (
        "bank_info",
        pa.table({"bank_name": [BANK_NAME], "as_of_date": dates(np.array([plan.today])), "currency": ["INR"]}),
    )
    yield "branches", branches(plan)
    people = customers(plan)
    yield "customers", customers_table(plan, people)
    held = accounts(plan, people)
    next_id = 1
    for index, start in enumerate(range(0, len(held), BLOCK)):
        block = held.block(start, BLOCK)
        books = ledger(plan, block, index)
        yield "accounts", accounts_table(block, books.closing, last_used(books), plan)
        yield "transactions", transactions_table(books, block, next_id)
        next_id += len(books.entries)
        yield "monthly_balances", monthly_balances_table(plan, books, block)
    yield from lending(plan, people)
    yield "cards", cards(plan, people, held)
