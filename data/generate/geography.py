"""Forty branches in twenty Indian cities."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from data.generate.arrow import dates
from data.generate.plan import Plan

# City, state, region, weight of one branch in business, localities (one branch each).
CITIES = (
    ("Mumbai", "Maharashtra", "West", 1.7, ("Andheri West", "Bandra Kurla", "Borivali", "Dadar", "Nariman Point")),
    ("Delhi", "Delhi", "North", 1.6, ("Connaught Place", "Karol Bagh", "Dwarka", "Saket")),
    ("Bengaluru", "Karnataka", "South", 1.6, ("Indiranagar", "Koramangala", "Whitefield", "Jayanagar")),
    ("Hyderabad", "Telangana", "South", 1.4, ("Banjara Hills", "Gachibowli", "Secunderabad")),
    ("Chennai", "Tamil Nadu", "South", 1.4, ("T Nagar", "Anna Nagar", "Adyar")),
    ("Kolkata", "West Bengal", "East", 1.3, ("Park Street", "Salt Lake", "Gariahat")),
    ("Pune", "Maharashtra", "West", 1.3, ("Shivajinagar", "Hinjawadi", "Kothrud")),
    ("Ahmedabad", "Gujarat", "West", 1.2, ("Navrangpura", "Satellite")),
    ("Jaipur", "Rajasthan", "North", 0.9, ("Malviya Nagar", "Mansarovar")),
    ("Surat", "Gujarat", "West", 1.0, ("Ring Road",)),
    ("Lucknow", "Uttar Pradesh", "North", 0.8, ("Hazratganj",)),
    ("Chandigarh", "Chandigarh", "North", 0.9, ("Sector 17",)),
    ("Kochi", "Kerala", "South", 0.9, ("Marine Drive",)),
    ("Coimbatore", "Tamil Nadu", "South", 0.8, ("RS Puram",)),
    ("Indore", "Madhya Pradesh", "Central", 0.8, ("Vijay Nagar",)),
    ("Bhopal", "Madhya Pradesh", "Central", 0.6, ("MP Nagar",)),
    ("Nagpur", "Maharashtra", "West", 0.7, ("Sitabuldi",)),
    ("Patna", "Bihar", "East", 0.6, ("Boring Road",)),
    ("Bhubaneswar", "Odisha", "East", 0.6, ("Saheed Nagar",)),
    ("Guwahati", "Assam", "East", 0.5, ("Pan Bazaar",)),
)
BRANCHES = tuple(
    (city, state, region, weight, f"{city} {locality}")
    for city, state, region, weight, localities in CITIES
    for locality in localities
)
REGIONS = tuple(region for _, _, region, _, _ in BRANCHES)


def branch_weights() -> np.ndarray:
    """Return each branch's share of the bank's customers, shape (40,), summing to 1."""
    weights = np.array([weight for _, _, _, weight, _ in BRANCHES])
    return weights / weights.sum()


def branches(plan: Plan) -> pa.Table:
    """Return the branches table; every branch is older than the oldest customer."""
    opened = plan.today - 365 * 16 - plan.random("branches").integers(0, 365 * 24, len(BRANCHES))
    ids = np.arange(1, len(BRANCHES) + 1, dtype=np.int32)
    return pa.table(
        {
            "branch_id": ids,
            "ifsc_code": [f"SMPL0{number:06d}" for number in ids],
            "branch_name": [name for *_, name in BRANCHES],
            "city": [branch[0] for branch in BRANCHES],
            "state": [branch[1] for branch in BRANCHES],
            "region": list(REGIONS),
            "opened_date": dates(opened),
        }
    )
