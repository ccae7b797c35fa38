"""What runs by the clock: dashboards and questions sent to a folder or by mail."""
