"""From what a walk over the question gathered to the structured question."""
