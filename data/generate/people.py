"""Customers: who they are, what they earn, when they came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from data.generate import names
from data.generate.arrow import dates, decimals, labels
from data.generate.geography import REGIONS, branch_weights
from data.generate.plan import Plan

SEGMENTS = ("Retail", "Premium", "NRI", "SME", "Corporate")
RETAIL, PREMIUM, NRI, SME, CORPORATE = range(5)
SEGMENT_SHARES = (0.775, 0.09, 0.03, 0.1, 0.005)

# Occupation, share among people who are not in business, median income in rupees, spread of its logarithm.
OCCUPATIONS = (
    ("Salaried", 0.44, 660_000, 0.55),
    ("Self-Employed", 0.17, 580_000, 0.7),
    ("Farmer", 0.09, 260_000, 0.5),
    ("Homemaker", 0.1, 240_000, 0.5),
    ("Student", 0.08, 120_000, 0.5),
    ("Retired", 0.08, 360_000, 0.5),
    ("Government Employee", 0.04, 780_000, 0.4),
    ("Business Owner", 0.0, 1_900_000, 0.8),
    ("Company", 0.0, 900_000_000, 0.9),
)
OCCUPATION_NAMES = tuple(name for name, *_ in OCCUPATIONS)
SALARIED, GOVERNMENT, BUSINESS_OWNER, COMPANY = 0, 6, 7, 8
AGE_RANGES = {"Student": (18, 25), "Retired": (60, 82), "default": (22, 60)}
INCOME_FACTOR = (1.0, 3.2, 3.6, 1.0, 1.0)
KYC = ("Verified", "Pending", "Expired")
YEARS_OF_CUSTOMERS = 15


@dataclass(frozen=True)
class Customers:
    """Arrays over the customers, shape (n,); customer_id is position + 1.

    Attributes:
        income: paise per year.
        branch: position of the home branch.
        joined: datetime64[D].
    """

    segment: np.ndarray
    occupation: np.ndarray
    income: np.ndarray
    score: np.ndarray
    branch: np.ndarray
    joined: np.ndarray
    born: np.ndarray

    def __len__(self) -> int:
        return len(self.segment)


def customers(plan: Plan) -> Customers:
    """Draw everything about customers that other subjects depend on."""
    count, random = plan.customer_count, plan.random("customers")
    segment = random.choice(len(SEGMENTS), count, p=SEGMENT_SHARES)
    corporates = max(3, round(count * SEGMENT_SHARES[CORPORATE]))
    segment[segment == CORPORATE] = SME
    segment[random.choice(count, corporates, replace=False)] = CORPORATE
    shares = [share for _, share, _, _ in OCCUPATIONS]
    occupation = random.choice(len(OCCUPATIONS), count, p=shares)
    occupation[segment == SME] = BUSINESS_OWNER
    occupation[segment == CORPORATE] = COMPANY
    medians = np.array([median for _, _, median, _ in OCCUPATIONS])[occupation]
    spreads = np.array([spread for *_, spread in OCCUPATIONS])[occupation]
    rupees = medians * np.exp(spreads * random.standard_normal(count)) * np.array(INCOME_FACTOR)[segment]
    age = _ages(random, occupation)
    born = plan.today - (age * 365.25).astype(np.int64)
    days_ago = (random.beta(1.0, 1.35, count) * (365 * YEARS_OF_CUSTOMERS - 40)).astype(np.int64) + 5
    eighteenth = born + round(18 * 365.25)
    joined = np.maximum(plan.today - days_ago, np.where(segment == CORPORATE, plan.today - 10_000, eighteenth))
    return Customers(
        segment=segment,
        occupation=occupation,
        income=(rupees / 1000).round().astype(np.int64) * 100_000,
        score=np.clip(random.normal(738, 62, count), 300, 900).astype(np.int64),
        branch=random.choice(len(REGIONS), count, p=branch_weights()),
        joined=np.minimum(joined, plan.today - 5),
        born=born,
    )


def customers_table(plan: Plan, people: Customers) -> pa.Table:
    """Return the customers table, names and contact details added."""
    random = plan.random("customer names")
    count = len(people)
    company = people.segment == CORPORATE
    gender = np.where(company, -1, (random.random(count) < 0.43).astype(np.int64))
    first, last = _names(random, people.branch, gender)
    full = [f"{one} {two}" for one, two in zip(first, last, strict=True)]
    for position, firm in zip(np.flatnonzero(company), _firms(random, int(company.sum())), strict=True):
        full[position], first[position], last[position] = firm, None, None
    kyc = random.choice(len(KYC), count, p=(0.905, 0.045, 0.05))
    return pa.table(
        {
            "customer_id": np.arange(1, count + 1, dtype=np.int32),
            "customer_name": full,
            "first_name": pa.array(first, type=pa.string()),
            "last_name": pa.array(last, type=pa.string()),
            "gender": labels(gender, ("M", "F")),
            "date_of_birth": dates(np.where(company, np.datetime64("NaT"), people.born)),
            "email": [f"customer{number}@example.com" for number in range(1, count + 1)],
            "phone": [f"+91-00000-{number:06d}" for number in range(1, count + 1)],
            "segment": labels(people.segment, SEGMENTS),
            "occupation": labels(people.occupation, OCCUPATION_NAMES),
            "annual_income": decimals(people.income),
            "credit_score": pa.array(people.score.astype(np.int32), mask=company),
            "kyc_status": labels(kyc, KYC),
            "home_branch_id": (people.branch + 1).astype(np.int32),
            "joined_date": dates(people.joined),
        }
    )


def _ages(random: np.random.Generator, occupation: np.ndarray) -> np.ndarray:
    count = len(occupation)
    by_group = {
        group: low + random.beta(1.6, 2.2, count) * (high - low) + 0.2 for group, (low, high) in AGE_RANGES.items()
    }
    student, retired = (occupation == OCCUPATION_NAMES.index(group) for group in ("Student", "Retired"))
    return np.select([student, retired], [by_group["Student"], by_group["Retired"]], by_group["default"])


def _names(random: np.random.Generator, branch: np.ndarray, gender: np.ndarray) -> tuple[list, list]:
    """Draw names of the branch's region; one in six comes from elsewhere, as people move."""
    regions = list(names.MALE)
    region = np.array([regions.index(region) for region in REGIONS])[branch]
    moved = random.random(len(branch)) < 1 / 6
    region = np.where(moved, random.integers(0, len(regions), len(branch)), region)
    male = [names.words(names.MALE[name]) for name in regions]
    female = [names.words(names.FEMALE[name]) for name in regions]
    last = [names.words(names.LAST[name]) for name in regions]
    ranks = random.beta(0.9, 1.5, (2, len(branch))) * 20
    picks = zip(region.tolist(), gender.tolist(), ranks.astype(np.int64).T.tolist(), strict=True)
    drawn = [((female if sex == 1 else male)[area][one], last[area][two]) for area, sex, (one, two) in picks]
    return [one for one, _ in drawn], [two for _, two in drawn]


def _firms(random: np.random.Generator, count: int) -> list[str]:
    """Draw company names, repeated ones numbered, so that each is unique."""
    stems, trades = names.words(names.FIRM_STEMS), names.FIRM_TRADES.split(",")
    order = random.permutation(len(stems) * len(trades))
    found = []
    for number in range(count):
        lap, position = divmod(number, len(order))
        stem, trade = divmod(int(order[position]), len(trades))
        found.append(f"{stems[stem]} {trades[trade]}{f' {lap + 1}' if lap else ''} Ltd")
    return found
