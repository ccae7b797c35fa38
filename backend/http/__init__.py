"""How a server listens: its connections, what every request passes first, and how it ends."""
