"""How evaluations are drawn."""
