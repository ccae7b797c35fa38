"""Where the two built-in readers understand the project's own cases differently, and which of them is right.

    python -m benchmarks.disagreements [FILE OF CASES]

Below the table stand the cases that the grammar does not get right, and what it made of them.
"""

from __future__ import annotations

import sys
from collections import Counter

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from benchmarks.reader_cases import ReaderCase, reader_cases

VERDICTS = ("right", "wrong", "refused", "asked back")


def main(file: str = "") -> None:
    """Print the table, then the cases."""
    counts: Counter[tuple[str, str]] = Counter()
    apart = []
    for case in reader_cases(file):
        rules, grammar = (verdict(case, Knowledge(case.knowledge.vocabulary, name)) for name in ("rules", "grammar"))
        counts[rules[0], grammar[0]] += 1
        if grammar[0] != "right":
            apart.append((grammar[0], case, grammar[1]))
    print(f"{'rules / grammar':16}" + "".join(f"{name:>12}" for name in VERDICTS))
    for row in VERDICTS:
        print(f"{row:16}" + "".join(f"{counts[row, column]:12}" for column in VERDICTS))
    for found, case, told in sorted(apart, key=lambda item: VERDICTS.index(item[0])):
        print(f"\n{found}: {case.question} ({case.place})")
        print(f"  wanted: {case.outcome}: {case.expected}\n  got:    {told}")


def verdict(case: ReaderCase, knowledge: Knowledge) -> tuple[str, str]:
    """What came of a case, and what was told."""
    found = decide(case.question, (), knowledge)
    if found.outcome == "query":
        right = case.outcome == "query" and found.restatement == case.expected
        return ("right" if right else "wrong"), found.restatement
    if case.outcome != "query":
        return "right", found.reply
    return ("refused" if found.outcome == "refused" else "asked back"), " | ".join(found.choices) or found.reply


if __name__ == "__main__":
    main(*sys.argv[1:])
