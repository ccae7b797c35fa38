"""What a database has and holds, read before anybody asks."""
