"""Is a figure by group the whole figure? It is computed a second time, without groups and without their joins."""

from ai_engine.tie_out.checking import can_be_tied_out, tied_out
from ai_engine.tie_out.finding import TiedFigure, TieOut, TieOutCause

__all__ = ["TieOut", "TieOutCause", "TiedFigure", "can_be_tied_out", "tied_out"]
