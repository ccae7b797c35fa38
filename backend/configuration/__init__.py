"""Settings as people see and change them, and what they come to."""
