"""What the rounds or trials of one kind showed, and the table of all kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from load import LATEST, Comparison, Load


@dataclass
class Findings:
    """What one kind showed."""

    kind: str
    refused: int = 0
    unanswered: int = 0
    lost: int = 0
    doubled: int = 0
    recount: int = 0
    latest: float = 0
    failures: list[str] = field(default_factory=list)

    def fail(self, what: str) -> None:
        self.failures.append(f"{self.kind}: {what}")
        print(f"     FAILED: {self.kind}: {what}", flush=True)

    def count(self, load: Load) -> None:
        """Adds what became of the requests of clients that have ended."""
        self.refused += load.refused
        self.unanswered += load.unanswered
        self.latest = max(self.latest, load.round_latest)
        if load.round_latest > LATEST:
            self.fail(f"an answer took {load.round_latest:.1f} s")

    def compare(self, found: Comparison, differences: Sequence[str], after: str = "") -> None:
        """Adds what a comparison found that was made when all was acknowledged, and how state, bodies and log differ."""
        for count, what in [
            (found.lost, "acknowledged postbacks lost"), (found.doubled, "postbacks doubled"),
            (found.made_up, "values that nobody offered"),
        ]:
            if count:
                self.fail(f"{after}{count} {what}")
        self.differ(differences, after)
        self.lost += found.lost
        self.doubled += found.doubled + found.made_up

    def differ(self, differences: Sequence[str], after: str = "") -> None:
        """Adds how state, bodies and log differ."""
        self.recount += len(differences)
        for difference in differences:
            self.fail(f"{after}state, bodies and log do not fit together: {difference}")

    def cells(self) -> dict[str, str]:
        """The columns of the table, in their order."""
        return {
            "refused": str(self.refused), "unanswered": str(self.unanswered), "lost": str(self.lost),
            "doubled": str(self.doubled), "recount": str(self.recount), "latest answer": f"{self.latest:.2f} s"}


def print_table(findings: Sequence[Findings]) -> None:
    rows = [{"": one.kind} | one.cells() for one in findings]
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [{name: name for name in names}, *rows]
    widths = {name: max(len(line.get(name, "-")) for line in lines) for name in names}
    print()
    for line in lines:
        print("  ".join(
            line.get(name, "-").rjust(widths[name]) if name else line[name].ljust(widths[name]) for name in names))
