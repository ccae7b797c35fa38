"""Workflow templates over HTTP: what can be asked for, and how a workflow that ran becomes one of one's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from ai_engine.errors import AssistantError, BadQuestion
from backend.api.orchestrate import place, who
from backend.chat.api import DOCUMENTED, ConversationId, kept_name, refused
from backend.chat.door import TemplateDraft, TemplateListing, Templates, TemplateWish

WorkflowId = Annotated[str, Path(pattern=r"^[A-Za-z0-9._:-]{1,100}$", description="`id` of `workflow.created`.")]
TemplateName = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]{0,63}$")]

router = APIRouter(tags=["chat"])


class TemplateList(BaseModel):
    """What can be asked for."""

    templates: list[TemplateListing]


@router.get("/templates", response_model=TemplateList, responses=DOCUMENTED, summary="List workflow templates")
async def templates(request: Request) -> Response:
    """List the templates that you can ask for, your own first."""

    async def work(found: Templates) -> TemplateList:
        return TemplateList(templates=await found.listed(who(request)))

    return await _done(request, work)


@router.delete("/templates/{name}", status_code=204, responses=DOCUMENTED, summary="Forget a template of your own")
async def drop(request: Request, name: TemplateName) -> Response:
    """Forget it; those that everybody has stay."""

    async def work(found: Templates) -> None:
        if not await found.drop(who(request), name):
            raise BadQuestion("You have no template of this name.")

    return await _done(request, work)


@router.get(
    "/chat/{conversation_id}/workflows/{workflow_id}/template",
    response_model=TemplateDraft,
    responses=DOCUMENTED,
    summary="See what of a workflow could be another text the next time",
)
async def draft(request: Request, conversation_id: ConversationId, workflow_id: WorkflowId) -> Response:
    """Name the months, values, numbers and whole inputs in its steps; any other text of a step can be taken as well."""

    async def work(found: Templates) -> TemplateDraft:
        return await found.draft(kept_name(request, conversation_id), workflow_id)

    return await _done(request, work)


@router.post(
    "/chat/{conversation_id}/workflows/{workflow_id}/template",
    response_model=TemplateListing,
    status_code=201,
    responses=DOCUMENTED,
    summary="Keep a workflow that ran as a template of your own",
)
async def keep(
    request: Request, conversation_id: ConversationId, workflow_id: WorkflowId, body: TemplateWish
) -> Response:
    """Keep it; each of `inputs` is a text of its steps that is asked for under that name the next time."""

    async def work(found: Templates) -> TemplateListing:
        return await found.keep(who(request), kept_name(request, conversation_id), workflow_id, body)

    return await _done(request, work, HTTPStatus.CREATED)


async def _done(
    request: Request, work: Callable[[Templates], Awaitable[BaseModel | None]], status: int = HTTPStatus.OK
) -> Response:
    try:
        with place(request):
            chat = await request.app.state.open_chat()
            made = await work(chat.templates)
    except AssistantError as fault:
        return refused(fault)
    return Response(status_code=204) if made is None else JSONResponse(made.model_dump(mode="json"), status)
