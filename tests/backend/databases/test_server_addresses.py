from __future__ import annotations

import re
import sys

import pytest

from ai_engine.errors import BadConfiguration
from ai_engine.guard.warehouses import WAREHOUSES
from backend.databases import open_database
from backend.databases.address import ServerAddress, parse_address
from backend.databases.server_kinds import SERVER_KINDS

SECRET = "se%40cret"
WRITTEN = {
    "postgres": f"postgresql://ada:{SECRET}@db.example/bank",
    "mysql": f"mysql://ada:{SECRET}@db.example/bank",
    "trino": f"trino://ada:{SECRET}@db.example:8443/lake/bank?tls=true",
    "spark": f"spark://ada:{SECRET}@db.example:10001/bank",
    "tsql": f"mssql://ada:{SECRET}@db.example/bank",
    "oracle": f"oracle://ada:{SECRET}@db.example/bank?schema=CORE",
    "snowflake": f"snowflake://ada:{SECRET}@account/bank/core?warehouse=small",
    "bigquery": "bigquery://project/bank?location=EU",
    "databricks": f"databricks://token:{SECRET}@db.example/main/bank?http_path=/sql/1",
    "clickhouse": f"clickhouse://ada:{SECRET}@db.example/bank",
}


def test_the_guard_knows_the_dialect_of_every_kind_of_server():
    assert SERVER_KINDS.keys() == WAREHOUSES | {"postgres", "mysql"}


@pytest.mark.parametrize("scheme", ["db2", "hive", "redshift", "presto", "teradata", "cockroachdb", "jdbc", "http"])
def test_a_database_whose_dialect_the_guard_does_not_know_is_refused(scheme: str):
    with pytest.raises(BadConfiguration, match=f"databases of kind '{scheme}' are not supported") as told:
        open_database(f"{scheme}://ada:{SECRET}@db.example/bank")
    assert "cret" not in str(told.value)


def test_every_kind_of_server_has_an_address_here():
    assert WRITTEN.keys() == SERVER_KINDS.keys()


@pytest.mark.parametrize("dialect", WRITTEN)
def test_a_password_and_options_stay_out_of_whatever_is_shown(dialect: str):
    address = parse_address(WRITTEN[dialect])
    assert isinstance(address, ServerAddress)
    assert address.dialect == dialect
    assert address.password in ("se@cret", "")
    for told in (repr(address), address.shown, address.identity):
        assert "cret" not in told
        assert all(value not in told for _, value in address.options)
    assert parse_address(address.shown.replace(":***@", "@")).shown == address.shown.replace(":***@", "@")


@pytest.mark.parametrize("dialect", WRITTEN)
def test_an_address_is_the_same_whatever_the_password_and_another_with_other_options(dialect: str):
    url = WRITTEN[dialect]
    assert parse_address(url.replace("cret", "creted")).identity == parse_address(url).identity
    if "?" in url:
        assert parse_address(url.partition("?")[0]).identity != parse_address(url).identity


@pytest.mark.parametrize("scheme", ["trino", "snowflake", "databricks"])
@pytest.mark.parametrize("names", ["", "lake", "lake/", "/bank", "lake/bank/more"])
def test_a_warehouse_that_is_not_named_whole_is_told_how_to_be(scheme: str, names: str):
    with pytest.raises(BadConfiguration, match="names no catalogue or no schema") as told:
        parse_address(f"{scheme}://ada:{SECRET}@db.example/{names}")
    assert "cret" not in str(told.value)


@pytest.mark.parametrize("dialect", [name for name, kind in SERVER_KINDS.items() if kind.options is not None])
def test_an_option_that_nobody_knows_is_refused(dialect: str):
    url = WRITTEN[dialect].partition("?")[0]
    with pytest.raises(BadConfiguration, match="unknown option 'readonly'"):
        parse_address(f"{url}?readonly=no")


@pytest.mark.parametrize("dialect", WRITTEN)
def test_a_client_that_is_not_installed_is_named(dialect: str, monkeypatch):
    kind = SERVER_KINDS[dialect]
    monkeypatch.setitem(sys.modules, kind.module, None)
    with pytest.raises(BadConfiguration, match=re.escape(f"package {kind.package} is not installed")) as told:
        open_database(WRITTEN[dialect])
    assert "cret" not in str(told.value)
