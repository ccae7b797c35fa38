"""How dashboards are drawn."""
