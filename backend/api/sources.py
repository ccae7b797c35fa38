"""GET /sources: which databases the one who asks may ask."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from ai_engine.errors import AssistantError
from backend.api.errors import http_status_of
from backend.api.verified import Refusal, who_asks
from backend.sources.sources import Sources

router = APIRouter(tags=["data sources"])


class ListedSource(BaseModel):
    """One data source; no address, no path."""

    name: str = Field(description="What `source` of a question takes.")
    title: str
    private: bool = Field(description="What you have uploaded, which nobody else can ask.")


@router.get(
    "/sources", response_model=list[ListedSource], responses={500: {"model": Refusal}}, summary="List the data sources"
)
async def listed(request: Request) -> Response:
    """List what you may ask, the first being asked where no `source` is named."""
    sources: Sources = request.app.state.sources

    def found() -> list[dict[str, Any]]:
        asker = who_asks(request.headers, sources.settings)
        return [
            ListedSource(name=one.name, title=one.title, private=one.folder is not None).model_dump()
            for one in sources.of(asker)
        ]

    try:
        return JSONResponse(await asyncio.to_thread(found))
    except AssistantError as fault:
        kind = type(fault).__name__
        return JSONResponse({"error": type(fault).user_message, "error_kind": kind}, status_code=http_status_of(kind))
