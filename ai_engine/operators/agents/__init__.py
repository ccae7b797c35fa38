"""The agents of the orchestrator as operators, and the orchestrator itself."""
