"""The one prompt that clients may offer to people: how a figure is asked for and handed on."""

from __future__ import annotations

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

FIGURE = Prompt(
    name="figure_for_a_report",
    title="A figure for a report",
    description="Ask for a figure so that it can be handed on: with its SQL, its assumptions and the bank's rules.",
    arguments=[PromptArgument(name="question", description="The question in plain English.", required=True)],
)
_MOST_CHARS = 2_000
_TEXT = """Answer the question between the marks for a report, with the tools of this server.

1. Call `ask` with the question as it stands. If it asks back, ask the person; do not choose for them.
2. Give the figure as it was returned, with its period and unit, and list every assumption.
3. Where it depends on a definition, call `describe_metric` or `search_documents`; cite document and paragraph.
4. Put the SQL that ran at the end. Work out nothing in your head: `calculate` does that.

<question>
{question}
</question>"""


def figure_for_a_report(arguments: dict[str, str]) -> GetPromptResult:
    """Fill in the question, as data between marks."""
    question = arguments.get("question", "").strip()
    if not question or set(arguments) != {"question"} or len(question) > _MOST_CHARS:
        raise MCPError(code=INVALID_PARAMS, message=f"It takes a question of at most {_MOST_CHARS:,} characters.")
    text = _TEXT.format(question=question.replace("<", "‹").replace(">", "›"))
    return GetPromptResult(
        description=FIGURE.description, messages=[PromptMessage(role="user", content=TextContent(text=text))]
    )
