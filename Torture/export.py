"""An export of every event that is killed again and again, and what its files must add up to."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from database import Database, Standby
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
        """Exports the rest, and returns what is wrong: every event is in one file, and all together are the reports."""
        url = f"host={database.socket} dbname=attribution user=attribution"
        process = await self._process(url)
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
        for name, rows in reports(self._events).items():
            found = Counter({tuple(row.split("|")): 1 for row in await database.sql(REPORTS[name])})
            differences = (found - rows).total() + (rows - found).total()
            if differences:
                wrong.append(f"{differences} rows of {name} differ from the sum of the exported events")
        return wrong

    def _read_files(self) -> None:
        """Reads the files that are new: a file that has its name never changes."""
        for file in sorted(self.folder.glob("events-*.ndjson")):
            if file.name not in self._read:
                self._read.add(file.name)
                self._events += map(json.loads, file.read_text().splitlines())


LINE = ["day", "ad_network_id", "campaign_type", "campaign", "advertised_app_id"]
FIGURES = ["installs", "redownloads", "assists", "value_known", "value_coarse", "value_null", "raised", "conflicts"]
REPORTS = {
    "report_campaign_daily_all":
        f"SELECT concat_ws('|', {', '.join(LINE + FIGURES)}) FROM attribution.report_campaign_daily_all",
    "report_conversion_value_daily_all":
        f"SELECT concat_ws('|', {', '.join(LINE)}, coalesce(conversion_value::text, coarse_value, 'none'), postbacks)"
        " FROM attribution.report_conversion_value_daily_all",
}


def reports(events: list[dict[str, object]]) -> dict[str, Counter[tuple[str, ...]]]:
    """The rows of both reports as the events add up to them, for postbacks of the first window."""
    figures: dict[tuple[str, ...], Counter[str]] = {}
    values: Counter[tuple[str, ...]] = Counter()
    for event in events:
        line = tuple(str(event[name]) for name in LINE)
        row = figures.setdefault(line, Counter())
        if event["event"] == "conflict":
            row["conflicts"] += 1
            continue
        row["raised"] += bool(event["first_raise"])
        changes = [(1, value(event, ""))]
        if event["event"] == "raised":
            changes.append((-1, value(event, "previous_")))
        for number, at in changes:
            if not event["did_win"]:
                row["assists"] += number
                continue
            row["redownloads" if event["redownload"] else "installs"] += number
            row["value_null" if at == "none" else "value_known" if at.isdigit() else "value_coarse"] += number
            values[(*line, at)] += number
    return {
        "report_campaign_daily_all": Counter(
            (*line, *(str(row[name]) for name in FIGURES)) for line, row in figures.items()),
        "report_conversion_value_daily_all": Counter(
            (*key, str(number)) for key, number in values.items() if number),
    }


def value(event: dict[str, object], prefix: str) -> str:
    """The fine or the coarse value, or `none`."""
    fine, coarse = event[f"{prefix}conversion_value"], event[f"{prefix}coarse_value"]
    return str(fine) if fine is not None else str(coarse or "none")
