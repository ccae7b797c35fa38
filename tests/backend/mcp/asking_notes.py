"""An MCP server on standard input and output whose search asks the person before it finds anything."""

from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Elicit, ElicitationResult, Resolve
from pydantic import BaseModel


class Year(BaseModel):
    year: int


async def which_year() -> Elicit[Year]:
    return Elicit("Which year do you mean?", Year)


server = MCPServer("notes")


@server.tool()
async def rag_search(query: str, answer: Annotated[ElicitationResult[Year], Resolve(which_year)]) -> dict[str, Any]:
    """Search the notes."""
    return {"results": []}


if __name__ == "__main__":
    server.run("stdio")
