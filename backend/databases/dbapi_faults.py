"""What six warehouses say against a statement, by the codes that their clients tell.

Neither met in runs nor compared with the engines' lists one by one: a wrong code changes what a person is told of a
statement that failed, and nothing else. One that is not here is told as a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from backend.databases.engine import EngineFault
from backend.databases.statement_faults import Trouble, statement_fault

_QUOTED = re.compile(r"'([^']+)'")
_DOUBLY_QUOTED = re.compile(r'"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Faults:
    """The codes of one engine.

    Attributes:
        names: finds the names that it speaks of.
    """

    troubles: Mapping[str, Trouble]
    interrupted: frozenset[str] = frozenset()
    timed_out: frozenset[str] = frozenset()
    too_large: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    names: re.Pattern[str] = field(default=_QUOTED)


def fault_of(faults: Faults, code: str, said: str) -> EngineFault:
    """Tell a cancellation, a deadline and a lost connection from a wrong statement; `said` may quote data."""
    if code in faults.interrupted:
        return EngineFault("interrupted", "the statement was interrupted")
    if code in faults.timed_out:
        return EngineFault("timed_out", "the statement was interrupted")
    if code in faults.too_large:
        return EngineFault("too_large", "more than the server may hand out at once")
    if code in faults.denied:
        return EngineFault("unavailable", "access denied for user and password")
    if code in faults.lost:
        return EngineFault("unavailable", "the connection was lost")
    return statement_fault(faults.troubles.get(code, "other"), said, faults.names)


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _troubles(**codes: str) -> dict[str, Trouble]:
    told: dict[str, Trouble] = {}
    for trouble, listed in codes.items():
        told |= dict.fromkeys(listed.split(), trouble)  # type: ignore[arg-type]
    return told


ORACLE = Faults(
    _troubles(
        unknown_name="ORA-00904",
        unknown_table="ORA-00942 ORA-04043",
        ambiguous_name="ORA-00918 ORA-00960",
        misused_aggregate="ORA-00934 ORA-00935 ORA-00937 ORA-00978 ORA-00979 ORA-30483",
        wrong_type="ORA-00932 ORA-01790",
        conversion="ORA-01722 ORA-01830 ORA-01839 ORA-01840 ORA-01841 ORA-01843 ORA-01847 ORA-01858 ORA-01861",
        division_by_zero="ORA-01476",
        out_of_range="ORA-01426 ORA-01455 ORA-01438 ORA-01873",
        invalid_pattern="ORA-12725 ORA-12726 ORA-12727 ORA-12728",
        several_rows="ORA-01427",
        syntax="ORA-00900 ORA-00905 ORA-00907 ORA-00909 ORA-00911 ORA-00920 ORA-00923 ORA-00933 ORA-00936 ORA-03049",
        permission="ORA-01031 ORA-01456 ORA-41900",
        locked="ORA-00054 ORA-00060 ORA-04021",
        memory="ORA-04030 ORA-04031 ORA-04036",
        space="ORA-01652",
    ),
    interrupted=_codes("ORA-01013"),
    timed_out=_codes("DPY-4024 DPI-1067 ORA-00040"),
    denied=_codes("ORA-01005 ORA-01017 ORA-28000 ORA-28001"),
    lost=_codes(
        "ORA-00028 ORA-01012 ORA-01033 ORA-01034 ORA-01089 ORA-01090 ORA-02396 ORA-03113 ORA-03114 ORA-03135 ORA-12170 "
        "ORA-12514 ORA-12537 ORA-12541 ORA-12547 DPI-1010 DPI-1080 DPY-1001 DPY-4011 DPY-6000 DPY-6001 DPY-6005"
    ),
    names=_DOUBLY_QUOTED,
)
SQL_SERVER = Faults(
    _troubles(
        unknown_column="207",
        unknown_table="208",
        unknown_function="195 4121",
        unknown_name="4104 243",
        ambiguous_name="209",
        misused_aggregate="130 144 147 4108 4109 8120 8121 8127",
        wrong_type="206 306 402 529 8116 8117",
        conversion="241 242 244 245 248 293 8114 8169",
        division_by_zero="8134",
        out_of_range="220 232 517 535 8115",
        several_rows="512",
        syntax="102 103 105 156 170 319 10753",
        permission="229 230 262 300",
        locked="1205 1222",
        memory="701 8645 8657 8651",
        space="1101 1105",
    ),
    denied=_codes("4060 18452 18456 18470 18487 18488"),
    lost=_codes("233 10928 10929 10053 10054 10060 40197 40501 40613 lost"),
)
SNOWFLAKE = Faults(
    _troubles(
        unknown_name="904",
        unknown_table="2003 2043",
        unknown_function="2140 2141",
        ambiguous_name="1006 2025",
        misused_aggregate="979 2035",
        wrong_type="1007 1044 2016",
        conversion="100035 100037 100038 100040 100071 100096 100108",
        division_by_zero="100051",
        out_of_range="100039 100046 100058 100132",
        invalid_pattern="100048 100049",
        several_rows="90150",
        syntax="1003 1104",
        permission="3001 3540",
        memory="300005",
    ),
    interrupted=_codes("604"),
    timed_out=_codes("630 000630"),
    denied=_codes("390100 390101 390102 390103 390111 390114 390144 250001"),
    lost=_codes("250002 250003 251005 251012 390112 390195"),
)
CLICKHOUSE = Faults(
    _troubles(
        unknown_name="47",
        unknown_table="60 81",
        unknown_function="46 63",
        ambiguous_name="207 352",
        misused_aggregate="184 215",
        wrong_type="43 53 386",
        conversion="6 26 27 38 41 70 72 349 675 676",
        division_by_zero="153",
        out_of_range="69 321 407",
        invalid_pattern="427",
        several_rows="125",
        syntax="36 42 62",
        permission="164 497",
        memory="173 241",
        space="243",
    ),
    interrupted=_codes("394"),
    timed_out=_codes("159 160"),
    too_large=_codes("307 396"),
    denied=_codes("192 193 194 516"),
    lost=_codes("202 209 210 236 279 lost"),
    names=re.compile(r"[`']([^`']+)[`']"),
)
BIGQUERY = Faults(
    _troubles(
        unknown_column="unrecognized_name",
        unknown_table="notFound",
        unknown_function="function_not_found",
        ambiguous_name="ambiguous",
        misused_aggregate="grouped",
        wrong_type="no_matching_signature",
        conversion="bad_value",
        division_by_zero="division_by_zero",
        out_of_range="overflow",
        several_rows="several_rows",
        syntax="syntax_error invalidQuery",
        permission="accessDenied",
        memory="resourcesExceeded",
    ),
    interrupted=_codes("stopped"),
    timed_out=_codes("timeout"),
    too_large=_codes("responseTooLarge"),
    denied=_codes("authError unauthenticated"),
    lost=_codes("backendError internalError quotaExceeded rateLimitExceeded jobRateLimitExceeded lost"),
    names=re.compile(r"(?:name|function|Column|column)(?: not found)?:? [`']?(\w+)"),
)
