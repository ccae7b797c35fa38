"""Words of what does harm, of which less is better."""

from __future__ import annotations

from ai_engine.semantics.words import stem

HARM = frozenset(
    map(
        stem,
        """failed failure rejected declined cancelled canceled overdue default defaulted npa delinquent
        delinquency arrears bounced reversed reversal disputed dispute complaint grievance breach breached
        fraud fraudulent lapsed penalty loss due dormant incident error exception chargeback""".split(),
    )
)
