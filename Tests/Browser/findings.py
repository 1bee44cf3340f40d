"""What the run has found, and how much it has looked at."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Findings:
    """Faults of the page, each told once."""

    texts: list[str] = field(default_factory=list)
    checks: int = 0

    def expect(self, holds: bool, text: str) -> bool:
        """Counts a check, and notes what is wrong if it does not hold."""
        self.checks += 1
        if not holds:
            self.add(text)
        return holds

    def add(self, text: str) -> None:
        """Notes what is wrong."""
        if text not in self.texts:
            self.texts.append(text)
