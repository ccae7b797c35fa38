"""Columns of numbers, dates and labels as Arrow arrays, without a Python object per row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

NEVER = np.datetime64("NaT", "D")


def decimals(hundredths: np.ndarray, precision: int = 15, missing: np.ndarray | None = None) -> pa.Array:
    """Return DECIMAL(precision, 2) from int64 hundredths (paise), shape (n,); `missing` marks NULLs."""
    words = np.empty((len(hundredths), 2), dtype=np.int64)
    words[:, 0] = hundredths
    words[:, 1] = words[:, 0] >> 63
    validity = None if missing is None else _validity(~missing)
    return pa.Array.from_buffers(pa.decimal128(precision, 2), len(hundredths), [validity, pa.py_buffer(words)])


def dates(days: np.ndarray) -> pa.Array:
    """Return DATE from datetime64[D], NaT as NULL."""
    return pa.array(days.astype("datetime64[D]"), type=pa.date32())


def labels(codes: np.ndarray, names: Sequence[str]) -> pa.Array:
    """Return text by position in `names`; negative codes are NULL."""
    return pa.DictionaryArray.from_arrays(
        pa.array(codes.astype(np.int32), mask=codes < 0), pa.array(names, type=pa.string())
    )


def _validity(present: np.ndarray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(present, bitorder="little"))
