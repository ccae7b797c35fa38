"""The Model Context Protocol: this app as a server of tools, and the servers of other programs as tools of this app."""
