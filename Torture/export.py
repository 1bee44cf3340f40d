"""An export of every event that is killed again and again. Its files must have each event once, and add up to the reports."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from database import ROOT, Database, Standby
from server import Programs

# How an export ends that could not reach the database when it began.
UNAVAILABLE = 69


@dataclass
class Export:
    """`PostbackServer export --follow` into a folder, killed after 0.2 to 3 s and started again."""

    programs: Programs
    database_url: str
    folder: Path
    choice: random.Random
    kills: int = 0
    failures: list[str] = field(default_factory=list)
    _task: asyncio.Task[None] | None = None
    _read: set[str] = field(default_factory=set)
    _events: list[dict[str, object]] = field(default_factory=list)

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self._task = asyncio.create_task(self._be_killed())

    async def stop(self) -> None:
        """Kills it for the last time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _process(self, url: str, *options: str) -> asyncio.subprocess.Process:
        with (self.folder.parent / "export.log").open("ab") as log:
            return await asyncio.create_subprocess_exec(
                self.programs.folder / "PostbackServer", "export", "--reader", "torture", *options, self.folder,
                env={"PATH": "/usr/bin:/bin", "DATABASE_URL": url, "KEYRING_PATH": str(self.programs.keys)},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder.parent)

    async def _be_killed(self) -> None:
        while True:
            process = await self._process(self.database_url, "--follow", "--file-seconds", "1")
            try:
                code = await asyncio.wait_for(process.wait(), self.choice.uniform(0.2, 3))
                if code != UNAVAILABLE:
                    self.failures.append(f"an export that follows ended with {code}: see export.log")
                await asyncio.sleep(0.1)
            except TimeoutError:
                self.kills += 1
            finally:
                if process.returncode is None:
                    process.send_signal(signal.SIGKILL)
                    await process.wait()

    async def check(self, database: Database | Standby) -> list[str]:
        """Exports the rest, and returns what is wrong: every event of the log is in one file, with its body."""
        process = await self._process(self._url(database))
        code = await asyncio.wait_for(process.wait(), 120)
        if code != 0:
            return [f"an export ended with {code}: see export.log"]
        self._read_files()
        wrong, self.failures = self.failures, []
        exported = Counter(event["id"] for event in self._events)
        stored = set(await database.sql(
            "SELECT concat_ws('-', lane, position, ordinal) FROM attribution.postback_log"))
        for count, what in [
            (len(stored - exported.keys()), "events are missing in the export"),
            (len(exported.keys() - stored), "exported events are not in the log"),
            (exported.total() - len(exported), "events were exported twice"),
            (sum((event["body"] is None) != (event["event"] == "conflict") for event in self._events),
             "events lack their body, or have one too many"),
        ]:
            if count:
                wrong.append(f"{count} {what}")
        return wrong

    async def recount(self, database: Database) -> str | None:
        """What differs between any report and the sum of the exported events; None if nothing does."""
        with (self.folder.parent / "recount.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                "python3", ROOT / "recount", "--events", self.folder, self._url(database, "attribution"),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            code = await process.wait()
        return None if code == 0 else (self.folder.parent / "recount.log").read_text()

    @staticmethod
    def _url(database: Database | Standby, role: str = "attribution_serve") -> str:
        return f"host={database.socket} dbname=attribution user={role}"

    def _read_files(self) -> None:
        """Reads the files that are new: a file that has its name never changes."""
        for file in sorted(self.folder.glob("events-*.ndjson")):
            if file.name not in self._read:
                self._read.add(file.name)
                self._events += map(json.loads, file.read_text().splitlines())
