"""Tells what a run wrote only once it is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.base import CheckpointTuple as Kept


class TellingSaver(BaseCheckpointSaver[Any]):
    """A saver that tells each write to one channel as soon as another saver has it.

    LangGraph has the writes of a task saved beside its other work, also with `durability="sync"`: a node that said
    itself that it is done would say so of what a process that dies then has lost.
    """

    def __init__(self, saver: BaseCheckpointSaver[Any], channel: str, kept: Callable[[Any], None]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._channel = channel
        self._kept = kept

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Have the writes kept, and tell those to the channel."""
        await self._saver.aput_writes(config, writes, task_id, task_path)
        for channel, value in writes:
            if channel == self._channel:
                self._kept(value)

    async def aput(
        self, config: Any, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> Any:
        """Have a checkpoint kept."""
        return await self._saver.aput(config, checkpoint, metadata, new_versions)

    async def aget_tuple(self, config: Any) -> Kept | None:
        """Read a checkpoint."""
        return await self._saver.aget_tuple(config)

    def alist(
        self, config: Any, *, filter: dict[str, Any] | None = None, before: Any = None, limit: int | None = None
    ) -> AsyncIterator[Kept]:
        """Read checkpoints, the latest first."""
        return self._saver.alist(config, filter=filter, before=before, limit=limit)

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Number what is written to a channel."""
        return self._saver.get_next_version(current, channel)
