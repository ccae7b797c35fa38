"""When "now" is, for every agent of a request alike."""

from __future__ import annotations

from datetime import date, datetime

from ai_engine.agent import AgentRequest


def with_temporal_context(request: AgentRequest, now_utc: datetime, data_as_of: date | None) -> AgentRequest:
    """Add the time, the day with its first and last hour, and the day of the data, each only where it is missing.

    A sample or a warehouse is rarely "now": `data_as_of` is the day from which the data's "last month" counts.
    """
    day = str(request.context.get("current_date") or now_utc.date().isoformat())
    known = {
        "current_datetime_utc": now_utc.isoformat(),
        "current_date": day,
        "current_date_start_hour": f"{day} 00",
        "current_date_end_hour": f"{day} 23",
        **({"data_as_of": data_as_of.isoformat()} if data_as_of else {}),
    }
    if known.keys() <= request.context.keys():
        return request
    return request.model_copy(update={"context": {**known, **request.context}})
