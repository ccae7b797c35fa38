"""Workflow templates of a chat: those of the product, and those that a person made of workflows that ran."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from ai_engine.agent import in_thread
from ai_engine.chat_history import ChatHistory, ChatMessage
from ai_engine.errors import BadQuestion, NotPermitted, StoreUnavailable, WorkflowInvalid
from ai_engine.workflows.definition import WorkflowDefinition, read_definition
from ai_engine.workflows.filling import KnownValues
from ai_engine.workflows.kept_templates import Input, KeptTemplates, inputs_of, standing_alone, template_of
from ai_engine.workflows.template import WorkflowTemplate
from backend.chat.door import TemplateDraft, TemplateInput, TemplateListing, TemplateWish
from backend.chat.judged_history import statements_alone

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ChatTemplates:
    """Implements Templates.

    Attributes:
        shipped: of the product and of the installation, seen by everybody.
        history: where the workflows are that ran.
        known: what the bank's data have.
        kept: those of people; None where nothing is kept.
    """

    shipped: tuple[WorkflowTemplate, ...]
    history: ChatHistory
    known: Callable[[], KnownValues]
    kept: KeptTemplates | None = None

    async def of(self, person: str) -> tuple[WorkflowTemplate, ...]:
        """Return all that a person can ask for, their own first; these are left out while the store is away."""
        try:
            own = await self._own(person)
        except StoreUnavailable as fault:
            _log.warning("the templates of a person are left out: %s", fault)
            own = ()
        return (*own, *self.shipped)

    async def listed(self, person: str) -> list[TemplateListing]:
        """See Templates."""
        own = await self._own(person)
        return [*(_listing(one, is_own=True) for one in own), *(_listing(one) for one in self.shipped)]

    async def draft(self, conversation_id: str, workflow_id: str) -> TemplateDraft:
        """See Templates."""
        definition, _ = await self._workflow(conversation_id, workflow_id)
        found = await in_thread(lambda: inputs_of(definition, self.known()))
        return TemplateDraft(
            goal=definition.goal, inputs=tuple(TemplateInput(name=one.name, text=one.text) for one in found)
        )

    async def keep(self, person: str, conversation_id: str, workflow_id: str, wish: TemplateWish) -> TemplateListing:
        """See Templates."""
        definition, statements = await self._workflow(conversation_id, workflow_id)
        inputs = [Input(one.name, one.text) for one in wish.inputs]
        if self.kept is None:
            raise StoreUnavailable("no templates are kept here")
        if not person:
            raise NotPermitted("a template is to be kept for nobody")
        try:
            template = await in_thread(lambda: template_of(definition, wish.title, inputs, self.known()))
            if template.name in {one.name for one in self.shipped}:
                raise BadQuestion("Everybody has a template of this name: give yours another.")
            await self.kept.keep(person, template, statements)
        except WorkflowInvalid as fault:
            raise BadQuestion(f"It cannot be kept as a template. {fault}") from None
        return _listing(template, is_own=True)

    async def drop(self, person: str, name: str) -> bool:
        """See Templates."""
        return self.kept is not None and await self.kept.drop(person, name)

    async def _own(self, person: str) -> tuple[WorkflowTemplate, ...]:
        return await self.kept.of(person) if self.kept is not None and person else ()

    async def _workflow(self, conversation_id: str, workflow_id: str) -> tuple[WorkflowDefinition, tuple[str, ...]]:
        """Return a workflow that ran, in words that need no message, and the statements that its values come from."""
        messages = await self.history.messages(conversation_id)
        told = [one for one in messages if one.workflow and one.workflow.get("id") == workflow_id]
        if not told:
            raise BadQuestion("This conversation keeps no such workflow.")
        kept = told[-1].workflow or {}
        if kept.get("template"):
            raise BadQuestion("This workflow is a template already: ask for it by its name.")
        try:
            definition = read_definition({"goal": kept.get("goal"), "steps": kept.get("plan")})
        except WorkflowInvalid as fault:
            raise BadQuestion(f"What is kept of it cannot be read. {fault}") from None
        return standing_alone(definition, _asked(messages, workflow_id)), statements_alone(told)


def _asked(messages: list[ChatMessage], workflow_id: str) -> str:
    """Return the message that the workflow was made for; one that went on later was asked for before."""
    return next((one.content for one in messages if one.role == "user" and one.request_id == workflow_id), "")


def _listing(template: WorkflowTemplate, *, is_own: bool = False) -> TemplateListing:
    return TemplateListing(
        name=template.name,
        title=template.title,
        description=template.description,
        parameters=tuple(one.name for one in template.parameters),
        is_own=is_own,
    )
