"""The example bank's HTTP services: rates, hours, IFSC codes, exchange rates, the state of a transaction.

    python -m data.example_services [--port 8600] [--token-lifetime-s 3600] [--while-parent-runs]

Invented, like the sample bank, and consistent with it: the same branches, codes, products and lowest rates, and its own
transactions where the bank was built. It binds to 127.0.0.1 and keeps everything in memory. `data/api_docs.yaml`
describes it. Tokens are had with the credentials below, which are no secret.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import duckdb
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from data.generate.geography import BRANCHES

EMAIL, PASSWORD = "analyst@sample-bank.example", "sample-bank"
PORT = 8600
SAMPLE_BANK = Path(__file__).with_name("sample_bank.duckdb")
_SINCE = date(2026, 10, 1)
_RATES = {
    "home_loan": ("Home Loan", "8.75", 360), "vehicle_loan": ("Vehicle Loan", "9.50", 84),
    "personal_loan": ("Personal Loan", "12.00", 60), "gold_loan": ("Gold Loan", "9.50", 36),
    "agriculture_loan": ("Agriculture Loan", "7.65", 60), "business_loan": ("Business Loan", "11.00", 120),
    "education_loan": ("Education Loan", "9.65", 120), "savings": ("Savings Account", "3.00", 0),
    "fixed_deposit": ("Fixed Deposit", "7.10", 120), "recurring_deposit": ("Recurring Deposit", "6.75", 120),
}  # fmt: skip
_EARLIER = (("2026-04-01", "0.25"), ("2025-10-01", "0.50"))
"""Rates were higher by so much until the rates of that day."""
_RUPEES_FOR = {
    "INR": "1",
    "USD": "84.50",
    "EUR": "91.25",
    "GBP": "107.40",
    "AED": "23.01",
    "SGD": "63.10",
    "JPY": "0.56",
}
_CHARGES = {
    "neft": ("NEFT transfer", "2.50"), "rtgs": ("RTGS transfer", "25.00"), "imps": ("IMPS transfer", "5.00"),
    "cheque_book": ("Cheque book of 25 leaves", "75.00"), "demand_draft": ("Demand draft", "50.00"),
    "card_replacement": ("Card replacement", "200.00"),
}  # fmt: skip
_HOLIDAYS = (
    ("2026-01-26", "Republic Day"), ("2026-03-04", "Holi"), ("2026-08-15", "Independence Day"),
    ("2026-10-02", "Gandhi Jayanti"), ("2026-11-08", "Diwali"), ("2026-12-25", "Christmas"),
    ("2027-01-26", "Republic Day"),
)  # fmt: skip
_MOST_REQUESTS = 3


class Credentials(BaseModel):
    """What the identity service is given, in Firebase's form."""

    email: str
    password: str
    returnSecureToken: bool = True  # noqa: N815 - Firebase's name


class ServiceRequest(BaseModel):
    """Something that a customer wants done."""

    kind: str = Field(pattern=r"^(cheque_book|card_replacement|address_change|statement)$")
    account_number: str = Field(pattern=r"^\d{9,18}$")


@dataclass
class _State:
    """All that changes; `lifetime_s` of a token, and `now` in seconds since 1970."""

    lifetime_s: float
    now: Callable[[], float]
    tokens: dict[str, float] = field(default_factory=dict)
    sign_ins: int = 0
    limited: list[float] = field(default_factory=list)
    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


def build_app(*, lifetime_s: float = 3_600, bank: Path = SAMPLE_BANK, now: Callable[[], float] = time.time) -> FastAPI:
    """Make the services.

    Args:
        lifetime_s: of a token.
        bank: the built sample bank, whose transactions are told; without it there are none.
        now: the clock of tokens, in seconds since 1970.
    """
    app = FastAPI(title="Example bank services", version="1")
    state = app.state.services = _State(lifetime_s, now)

    @app.exception_handler(HTTPException)
    async def as_object(_: Request, fault: HTTPException) -> JSONResponse:
        return JSONResponse({"error": fault.detail}, fault.status_code, headers=fault.headers)

    _add_identity(app, state)
    _add_products(app)
    _add_branches(app)
    _add_money(app)
    _add_customers_own(app, state, bank)
    _add_diagnostics(app, state)
    return app


def _add_identity(app: FastAPI, state: _State) -> None:
    @app.post("/identity/v1/accounts:signInWithPassword")
    async def sign_in(credentials: Credentials) -> dict[str, Any]:
        if (credentials.email, credentials.password) != (EMAIL, PASSWORD):
            raise HTTPException(400, "INVALID_LOGIN_CREDENTIALS")
        await asyncio.sleep(0.02)
        token = secrets.token_urlsafe(24)
        with state.lock:
            state.sign_ins += 1
            state.tokens[token] = state.now() + state.lifetime_s
        return {"idToken": token, "expiresIn": f"{state.lifetime_s:g}", "email": credentials.email}


def _signed_in(request: Request, authorization: Annotated[str | None, Header()] = None) -> None:
    state: _State = request.app.state.services
    token = (authorization or "").removeprefix("Bearer ")
    if state.tokens.get(token, 0) <= state.now():
        raise HTTPException(401, "a valid token is needed", {"WWW-Authenticate": "Bearer"})


SIGNED_IN = Depends(_signed_in)


def _rate(product: str) -> dict[str, Any]:
    name, rate, months = _RATES[product]
    return {
        "product": product,
        "name": name,
        "rate_percent": float(rate),
        "effective_from": str(_SINCE),
        "max_months": months,
    }


def _known(product: str) -> str:
    if product not in _RATES:
        raise HTTPException(404, f"there is no product {product}")
    return product


def _add_products(app: FastAPI) -> None:
    @app.get("/rates")
    async def rates() -> dict[str, Any]:
        return {"as_of": str(datetime.now(UTC).date()), "rates": [_rate(product) for product in _RATES]}

    @app.get("/rates/{product}")
    async def rate(product: str) -> dict[str, Any]:
        return _rate(_known(product))

    @app.get("/rates/{product}/history")
    async def history(
        product: str,
        start: Annotated[datetime | None, Query(alias="startDateTime")] = None,
        end: Annotated[datetime | None, Query(alias="endDateTime")] = None,
    ) -> dict[str, Any]:
        if start is None or end is None:
            raise HTTPException(400, "startDateTime and endDateTime are needed")
        current = Decimal(_RATES[_known(product)][1])
        rows, until = [{"effective_from": str(_SINCE), "rate_percent": float(current)}], _SINCE
        for day, more in _EARLIER:
            rows.append({"effective_from": day, "rate_percent": float(current + Decimal(more))})
        valid = []
        for row in rows:
            if date.fromisoformat(str(row["effective_from"])) <= end.date() and until >= start.date():
                valid.append(row)
            until = date.fromisoformat(str(row["effective_from"])) - timedelta(days=1)
            if until < start.date():
                break
        return {"product": product, "rates": valid or rows[:1]}

    @app.get("/emi-quote")
    async def quote(product: str, amount: float, years: float) -> dict[str, Any]:
        name, rate, months = _RATES[_known(product)]
        term = round(years * 12)
        if amount <= 0 or not 0 < term <= months:
            raise HTTPException(400, f"{name} is lent for up to {months} months, and for an amount above 0")
        monthly = float(rate) / 1_200
        emi = amount * monthly / (1 - (1 + monthly) ** -term)
        return {"product": product, "amount": amount, "months": term, "rate_percent": float(rate), "emi": round(emi, 2)}

    @app.get("/charges/{service}")
    async def charge(service: str) -> dict[str, Any]:
        if service not in _CHARGES:
            raise HTTPException(404, f"there is no service {service}")
        name, rupees = _CHARGES[service]
        return {"service": service, "name": name, "charge_inr": float(rupees), "tax_percent": 18}


def _branch(number: int) -> dict[str, Any]:
    city, state, region, _, name = BRANCHES[number]
    return {"ifsc": f"SMPL0{number + 1:06d}", "branch": name, "city": city, "state": state, "region": region}


def _branch_of(ifsc: str) -> tuple[int, dict[str, Any]]:
    code = ifsc.upper()
    number = int(code[5:]) - 1 if code.startswith("SMPL0") and code[5:].isdecimal() else -1
    if not 0 <= number < len(BRANCHES):
        raise HTTPException(404, f"there is no branch {ifsc}")
    return number, _branch(number)


def _add_branches(app: FastAPI) -> None:
    @app.get("/branches")
    async def branches(city: str | None = None) -> dict[str, Any]:
        found = [_branch(number) for number in range(len(BRANCHES))]
        chosen = [branch for branch in found if city is None or branch["city"].lower() == city.lower()]
        return {"branches": chosen}

    @app.get("/branches/{ifsc}/hours")
    async def hours(ifsc: str) -> dict[str, Any]:
        number, branch = _branch_of(ifsc)
        opens = "09:30" if number % 3 else "10:00"
        return {
            "ifsc": branch["ifsc"],
            "branch": branch["branch"],
            "weekdays": f"{opens} to 16:30",
            "saturday": f"{opens} to 13:30",
        }

    @app.get("/ifsc/{ifsc}")
    async def lookup(ifsc: str) -> dict[str, Any]:
        number, branch = _branch_of(ifsc)
        return {**branch, "micr": f"400{number + 1:06d}", "neft": True, "rtgs": True, "imps": True}

    @app.get("/atms")
    async def atms(city: str) -> dict[str, Any]:
        known = [name for known_city, *_, name in BRANCHES if known_city.lower() == city.lower()]
        return {
            "atms": [{"city": city, "place": name, "open_24_hours": place % 2 == 0} for place, name in enumerate(known)]
        }

    @app.get("/holidays")
    async def holidays(year: Annotated[int, Query(ge=2000, le=2100)]) -> dict[str, Any]:
        return {"holidays": [{"day": day, "name": name} for day, name in _HOLIDAYS if day.startswith(str(year))]}


def _add_money(app: FastAPI) -> None:
    def rate(base: str, quote: str) -> Decimal:
        for code in (base, quote):
            if code.upper() not in _RUPEES_FOR:
                raise HTTPException(404, f"there is no rate for {code}")
        return Decimal(_RUPEES_FOR[base.upper()]) / Decimal(_RUPEES_FOR[quote.upper()])

    @app.get("/fx/{base}/{quote}")
    async def exchange_rate(base: str, quote: str) -> dict[str, Any]:
        return {"base": base.upper(), "quote": quote.upper(), "rate": float(round(rate(base, quote), 4))}

    @app.get("/convert")
    async def convert(
        source: Annotated[str, Query(alias="from")], target: Annotated[str, Query(alias="to")], amount: float
    ) -> dict[str, Any]:
        used = rate(source, target)
        return {"from": source.upper(), "to": target.upper(), "amount": amount, "rate": float(round(used, 4)),
                "converted": float(round(Decimal(str(amount)) * used, 2))}  # fmt: skip


def _add_customers_own(app: FastAPI, state: _State, bank: Path) -> None:
    @app.get("/transactions/{transaction_id}/status", dependencies=[SIGNED_IN])
    def transaction(transaction_id: int) -> dict[str, Any]:
        found = _transaction(bank, transaction_id)
        if found is None:
            raise HTTPException(404, f"there is no transaction {transaction_id}")
        return found

    @app.get("/limits/{channel}", dependencies=[SIGNED_IN])
    async def limits(channel: str) -> dict[str, Any]:
        per_day = {"upi": 100_000, "imps": 500_000, "neft": 1_000_000, "rtgs": 10_000_000, "atm": 40_000}
        if channel.lower() not in per_day:
            raise HTTPException(404, f"there is no channel {channel}")
        return {"channel": channel.lower(), "daily_limit_inr": per_day[channel.lower()]}

    @app.post("/service-requests", status_code=201, dependencies=[SIGNED_IN])
    async def create(wanted: ServiceRequest) -> dict[str, Any]:
        with state.lock:
            number = f"SR{len(state.requests) + 1:05d}"
            state.requests[number] = {"request_id": number, "kind": wanted.kind, "status": "received"}
        return state.requests[number]

    @app.get("/service-requests/{request_id}", dependencies=[SIGNED_IN])
    async def request(request_id: str) -> dict[str, Any]:
        if request_id not in state.requests:
            raise HTTPException(404, f"there is no request {request_id}")
        return state.requests[request_id]

    @app.delete("/service-requests/{request_id}", dependencies=[SIGNED_IN])
    async def withdraw(request_id: str) -> dict[str, Any]:
        if state.requests.pop(request_id, None) is None:
            raise HTTPException(404, f"there is no request {request_id}")
        return {"request_id": request_id, "status": "withdrawn"}


def _transaction(bank: Path, transaction_id: int) -> dict[str, Any] | None:
    if not bank.exists():
        return None
    with duckdb.connect(bank, read_only=True) as client:
        found = client.execute(
            "SELECT transaction_id, status, channel, posted_at FROM transactions WHERE transaction_id = ?",
            [transaction_id],
        ).fetchone()
    if found is None:
        return None
    return {"transaction_id": found[0], "status": found[1], "channel": found[2], "posted_at": found[3].isoformat()}


def _add_diagnostics(app: FastAPI, state: _State) -> None:
    """Services that behave badly, to see what a caller does then."""

    @app.get("/diagnostics/health")
    async def health() -> dict[str, str]:
        return {"status": "up"}

    @app.get("/diagnostics/slow")
    async def slow(seconds: Annotated[float, Query(ge=0, le=120)] = 10) -> dict[str, float]:
        await asyncio.sleep(seconds)
        return {"waited_s": seconds}

    @app.get("/diagnostics/limited")
    async def limited() -> dict[str, str]:
        moment = state.now()
        with state.lock:
            state.limited = [earlier for earlier in state.limited if moment - earlier < 60]
            if len(state.limited) >= _MOST_REQUESTS:
                raise HTTPException(429, "too many requests; try again in a minute", {"Retry-After": "60"})
            state.limited.append(moment)
        return {"status": "served"}

    @app.get("/diagnostics/failing")
    async def failing() -> None:
        raise HTTPException(500, "this service always fails")


def _end_with(parent: int) -> None:
    """Ask this process to end once another program is its parent."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


def main(given: list[str] | None = None) -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m data.example_services", description="Serve the example services.")
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--token-lifetime-s", type=float, default=3_600)
    parser.add_argument("--while-parent-runs", action="store_true", help="end with the program that started this one")
    chosen = parser.parse_args(given)
    if chosen.while_parent_runs:
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    uvicorn.run(build_app(lifetime_s=chosen.token_lifetime_s), host="127.0.0.1", port=chosen.port, log_level="warning")


if __name__ == "__main__":
    main()
