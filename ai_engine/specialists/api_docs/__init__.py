"""The agent that answers from HTTP services that a catalogue describes."""
