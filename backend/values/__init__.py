"""The values by which people name things: collected, kept, searched."""
