"""A Spark in this process: one for all tests that ask it, with one thread and nothing that listens beyond loopback."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

_PLAIN = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than the few rows
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def missing() -> str:
    """What keeps Spark from starting here; "" where nothing does."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed: make engines"
    return "" if shutil.which("java") else "there is no Java runtime"


@contextmanager
def spark() -> Iterator[Any]:
    """A session; a test is skipped where Spark cannot be started, save in CI."""
    if missing():
        assert not os.environ.get("CI"), missing()
        pytest.skip(missing())
    with warnings.catch_warnings(), TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").config("spark.sql.warehouse.dir", str(Path(folder) / "bank"))
        for key, value in _PLAIN.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        try:
            yield session
        finally:
            session.stop()
