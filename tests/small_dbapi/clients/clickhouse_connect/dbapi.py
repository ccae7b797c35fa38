"""There for whoever looks whether the client is installed."""
