"""A team: a lead that answers a person by consulting several agents at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from ai_engine.prompts.loader import load_prompt
from ai_engine.routing.agent import RoutedAgent, whole_answer
from ai_engine.routing.classifier import formatted_history
from ai_engine.routing.messages import (
    AgentStream,
    ConversationMessage,
    ParticipantRole,
    StoppedMessage,
    TimestampedMessage,
    as_markdown,
    now_ms,
    resting_on,
)
from ai_engine.routing.model_agent import ModelAgent
from ai_engine.routing.storage import ChatStorage, InMemoryChatStorage
from ai_engine.routing.tools import AgentTool, AgentTools
from ai_engine.routing.withheld_answers import ReportedWhereWithheld, ToldToLead, marked

_log = logging.getLogger(__name__)


class TeamMessage(BaseModel):
    """What the lead sends to one member."""

    recipient: str
    content: str


class Team:
    """The members of one team and their memories, apart from each other and from what they know as agents of a squad.

    Args:
        name: of the team.
        members: whom the lead may ask.
        storage: where their conversations are kept.
        member_timeout_s: how long each may take.
        max_pairs: questions with their answers that are kept of each member.
    """

    def __init__(
        self,
        name: str,
        members: Sequence[RoutedAgent],
        storage: ChatStorage,
        *,
        member_timeout_s: float = 60.0,
        max_pairs: int = 100,
    ) -> None:
        self.members = {member.name: member for member in members}
        if len({member.id for member in members}) < len(members):
            raise ValueError("Two members of a team have the same name.")
        self._key = RoutedAgent.generate_key_from_name(name)
        self._storage = storage
        self._member_timeout_s = member_timeout_s
        self._max_pairs = max_pairs

    async def send_messages(
        self,
        messages: Sequence[TeamMessage],
        user_id: str,
        session_id: str,
        additional_params: dict[str, Any] | None = None,
        told_to_lead: ToldToLead | None = None,
    ) -> str:
        """Ask members side by side; returns "<name>: <text>" of each with blank lines between, and names every gap.

        Several messages to one member are asked one after the other, so that each knows the one before.
        `told_to_lead` takes what the answers rest on; what is asked rests on what it had before.
        """
        queues: dict[str, list[str]] = {}
        unknown: list[str] = []
        for message in messages:
            member = self._member(message.recipient)
            if member is None:
                unknown.append(message.recipient)
            else:
                queues.setdefault(member.name, []).append(message.content)
        heard = told_to_lead or ToldToLead()
        answers = await asyncio.gather(
            *(
                self._ask_in_order(self.members[name], contents, user_id, session_id, additional_params, heard)
                for name, contents in queues.items()
            )
        )
        told = [text for texts in answers for text in texts]
        known = ", ".join(self.members)
        told += [f"There is no agent named '{name}' in this team. There are: {known}." for name in unknown]
        return "\n\n".join(told) or "No message was sent."

    async def memory(self, user_id: str, session_id: str) -> list[ConversationMessage]:
        """Return what was said between lead and members in this session."""
        return await self._storage.fetch_all_chats(user_id, self._session(session_id))

    def _member(self, name: str) -> RoutedAgent | None:
        key = RoutedAgent.generate_key_from_name(name.strip())
        return next((member for member in self.members.values() if member.id == key), None)

    def _session(self, session_id: str) -> str:
        """Name the team's own session, so that a squad on the same storage does not take its turns for the person's."""
        return f"{session_id}\N{UNIT SEPARATOR}{self._key}"

    async def _ask_in_order(
        self,
        member: RoutedAgent,
        contents: Sequence[str],
        user_id: str,
        session_id: str,
        additional_params: dict[str, Any] | None,
        heard: ToldToLead,
    ) -> list[str]:
        return [
            f"{member.name}: {await self._ask(member, content, user_id, session_id, additional_params, heard)}"
            for content in contents
        ]

    async def _ask(
        self,
        member: RoutedAgent,
        content: str,
        user_id: str,
        session_id: str,
        additional_params: dict[str, Any] | None,
        heard: ToldToLead,
    ) -> str:
        """Return a member's answer, or a sentence that names the gap."""
        memory = (user_id, self._session(session_id), member.id)
        asked = TimestampedMessage(role=ParticipantRole.USER, content=[{"text": content}], timestamp=now_ms())
        asked = resting_on(asked, heard.statements)
        try:
            async with asyncio.timeout(self._member_timeout_s):
                history = await self._storage.fetch_chat(*memory, self._max_pairs)
                answer = await whole_answer(
                    await member.process_request(content, user_id, session_id, history, additional_params)
                )
        except TimeoutError:
            return f"(no answer within {self._member_timeout_s:g} s; this part is missing)"
        except Exception:  # noqa: BLE001 - its part is missing, the others' are not
            _log.exception("member %s failed", member.id)
            return "(failed; this part is missing)"
        heard.is_withheld |= answer.is_withheld
        heard.take([answer])
        if not isinstance(answer, StoppedMessage):
            said = TimestampedMessage(role=ParticipantRole.ASSISTANT, content=answer.content, timestamp=now_ms())
            said = resting_on(said, asked.statements or ())
            await self._storage.save_chat_messages(*memory, [asked, said], self._max_pairs)
        return as_markdown(answer)


class SupervisorAgent(RoutedAgent):
    """A lead with a team; has the lead's name and description unless told otherwise.

    Args:
        lead_agent: a ModelAgent without tools of its own.
        team: whom it may ask; a member may lead a team itself.
        storage: of the members' memories; in memory where None.
        extra_tools: tools of the lead besides `send_messages`.
        member_timeout_s: how long a member may take.
        max_pairs: questions with their answers that are kept of each member.

    Raises:
        ValueError: a lead that cannot lead, tools that are none, no team, or a team that has itself among its members.
    """

    def __init__(
        self,
        lead_agent: RoutedAgent,
        team: Sequence[RoutedAgent],
        *,
        storage: ChatStorage | None = None,
        extra_tools: AgentTools | Sequence[AgentTool] | None = None,
        member_timeout_s: float = 60.0,
        max_pairs: int = 100,
        name: str | None = None,
        description: str | None = None,
        **described: Any,
    ) -> None:
        if not isinstance(lead_agent, ModelAgent):
            raise ValueError("Supervisor must be a ModelAgent")
        if lead_agent.tools:
            raise ValueError("Supervisor tools are managed by SupervisorAgent. Use extra_tools for additional tools.")
        extra = list(extra_tools.tools.values()) if isinstance(extra_tools, AgentTools) else extra_tools or []
        if not isinstance(extra, Sequence) or not all(isinstance(tool, AgentTool) for tool in extra):
            raise ValueError("extra_tools must be Tools object or list of Tool objects")
        if not team:
            raise ValueError("A team has at least one member.")
        described.setdefault("streaming", lead_agent.streaming)
        super().__init__(name or lead_agent.name, description or lead_agent.description, **described)
        self.lead_agent = lead_agent
        self.team = Team(
            self.name, team, storage or InMemoryChatStorage(), member_timeout_s=member_timeout_s, max_pairs=max_pairs
        )
        self.extra_tools: tuple[AgentTool, ...] = tuple(extra)
        self._callbacks = extra_tools.callbacks if isinstance(extra_tools, AgentTools) else None
        refuse_cycles(self)

    async def process_request(
        self,
        input_text: str,
        user_id: str,
        session_id: str,
        chat_history: Sequence[ConversationMessage],
        additional_params: dict[str, Any] | None = None,
    ) -> ConversationMessage | AgentStream:
        """See RoutedAgent; the lead sees its own conversation and the team's memory.

        Once a member gave what no language model may be told, the answers are reported as they are.
        """
        heard = ToldToLead()

        async def send_messages(messages: list[TeamMessage]) -> str:
            """Send messages to one or several agents of the team, who work at the same time.

            Args:
                messages: one entry for each agent that is asked.
            """
            return await self.team.send_messages(messages, user_id, session_id, additional_params, heard)

        tools = AgentTools([AgentTool(send_messages), *self.extra_tools], self._callbacks)
        lead = self._lead(tools, heard)
        memory = await self.team.memory(user_id, session_id)
        heard.take([*chat_history, *memory])
        notes = formatted_history(memory)
        said = lead.converse(input_text, chat_history, tools, streaming=self.streaming, notes=notes)
        pieces = marked(said, heard)
        return pieces if self.streaming else await whole_answer(pieces)

    def _lead(self, tools: AgentTools, heard: ToldToLead) -> ModelAgent:
        """Return the lead as it speaks in this team: with the team and the tools in its system prompt."""
        lead = self.lead_agent
        agents = "\n".join(f"{name}: {member.description}" for name, member in self.team.members.items())
        told = "\n".join(f"{tool.name}: {tool.description}" for tool in tools.specs)
        system = (
            f"{lead.system()}\n\n{load_prompt('team_lead').system}\n\n"
            f"<agents>\n{agents}\n</agents>\n\n<tools>\n{told}\n</tools>"
        )
        return ModelAgent(
            lead.name,
            lead.description,
            ReportedWhereWithheld(lead.model, heard),
            system_prompt=system,
            retriever=lead.retriever,
            callbacks=lead.callbacks,
            max_tool_rounds=lead.max_tool_rounds,
            prompt="team_lead",
            streaming=lead.streaming,
        )


def refuse_cycles(agent: RoutedAgent) -> None:
    """Refuse a team that would ask itself, however far down.

    Raises:
        ValueError: names the way around.
    """

    def walk(one: RoutedAgent, above: tuple[RoutedAgent, ...]) -> None:
        if any(one is other for other in above):
            raise ValueError(f"A team cannot be its own member: {' → '.join(x.name for x in (*above, one))}.")
        for below in members_of(one):
            walk(below, (*above, one))

    walk(agent, ())


def members_of(agent: RoutedAgent) -> tuple[RoutedAgent, ...]:
    """Return whom an agent asks: a team's lead and members, a chain's links."""
    found: list[RoutedAgent] = []
    team = getattr(agent, "team", None)
    if isinstance(team, Team):
        found += team.members.values()
    lead = getattr(agent, "lead_agent", None)
    if isinstance(lead, RoutedAgent):
        found.append(lead)
    return (*found, *getattr(agent, "agents", ()))
