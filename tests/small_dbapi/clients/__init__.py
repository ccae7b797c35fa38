"""Small modules, each under the name of the client that it stands for."""
