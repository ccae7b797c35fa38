"""The HTTP API's paths, what goes over the wire, and its errors."""
