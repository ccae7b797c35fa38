"""The vocabulary file: Open Semantic Interchange, core specification 1.0, read and written."""

from ai_engine.semantics.osi.reader import load_vocabulary
from ai_engine.semantics.osi.writer import dump_vocabulary

__all__ = ["dump_vocabulary", "load_vocabulary"]
