from __future__ import annotations

import os
import socket

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.org", 443)])
def test_no_test_can_leave_the_machine(address):
    with socket.socket() as connection, pytest.raises(PermissionError, match="may not connect"):
        connection.connect(address)


def test_a_loopback_server_can_be_reached():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as connection:
        connection.connect(server.getsockname())


def test_the_developers_own_settings_are_hidden():
    assert {name for name in os.environ if name.startswith(("BANK_", "OPENAI_"))} == {"BANK_CACHE_DIR"}
