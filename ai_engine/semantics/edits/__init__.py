"""Changes to a structured question that a click makes: pure functions from one intent to another, no reader asked."""
