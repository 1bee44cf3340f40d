"""Destinations that a program receives, beside each round: every event must arrive, unchanged, signed and in order.

One destination gets each body as it is, the other one those of winning postbacks with a member added. With two servers, each of
them sends for one.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from arrivals import Arrivals, Check
from database import ROOT, Database
from destinations import DESTINATIONS, Keys
from server import Server, free_port, listens


# The leader while there is none.
NOBODY = "-"


@dataclass(frozen=True)
class Lease:
    """Which server sends for a destination."""

    leader: str
    # It rises with each new leader.
    fence: int
    until: str


class Forwarding:
    """The receiver of a run, and what it has got."""

    def __init__(self, server: Server, scratch: Path) -> None:
        self._server = server
        self._scratch = scratch
        self._file = scratch / "received.ndjson"
        self._port = free_port()
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts the receiver and loads the destinations; servers that are started afterwards may reach it."""
        keys = await Keys.make(self._server.programs, self._scratch)
        self.arrivals = Arrivals(self._file, keys, self._scratch)
        await self.start_receiver()
        self._server.settings["FORWARD_ALLOW_ADDRESSES"] = "127.0.0.1/32"
        for destination in DESTINATIONS:
            file = self._scratch / f"{destination.name}.json"
            file.write_text(json.dumps(destination.document(self._port)))
            await self._server.command("destination", "load", str(file), role="attribution_serve")

    async def start_receiver(self) -> None:
        """Starts it unless it runs, and waits until it listens: before that, a signal that has it cut lines would end it."""
        if self._process is not None and self._process.returncode is None:
            return
        with (self._scratch / "receiver.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, ROOT / "Torture" / "receiver.py", str(self._port), self._file, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        while not await listens(self._port):
            if self._process.returncode is not None:
                raise RuntimeError(f"the receiver ended with {self._process.returncode}: see {self._scratch / 'receiver.log'}")
            await asyncio.sleep(0.02)

    async def kill_receiver(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    def cut(self, is_cutting: bool) -> None:
        """From now on, cuts some connections of the receiver, or none."""
        if self._process is not None:
            self._process.send_signal(signal.SIGUSR1 if is_cutting else signal.SIGUSR2)

    async def begin_again(self, database: Database) -> None:
        """What an operator does when a receiver is back, who does not wait for the circuit breaker: pauses, and goes on."""
        await self._steer("pause")
        deadline = time.monotonic() + 120
        while any(lease.leader != NOBODY for lease in (await self.leases(database)).values()):
            if time.monotonic() > deadline:
                raise AssertionError("120 s after they were paused, servers still send to destinations")
            await asyncio.sleep(0.1)
        await self._steer("resume")

    async def _steer(self, command: str) -> None:
        for destination in DESTINATIONS:
            await self._server.command("forward", command, destination.name, role="attribution_serve")

    async def leases(self, database: Database) -> dict[str, Lease]:
        """The lease of each destination; its leader is `NOBODY` while it is not valid."""
        rows = await database.sql(
            "SELECT concat_ws(' ', name, CASE WHEN lease_until > clock_timestamp() THEN leader::text"
            f" ELSE '{NOBODY}' END, fence, coalesce(extract(epoch FROM lease_until)::text, '-'))"
            " FROM attribution.destination")
        return {name: Lease(leader, int(fence), until) for name, leader, fence, until in (row.split(" ") for row in rows)}

    async def check(self, database: Database, waits: bool) -> Check:
        """Compares what has arrived with the log (`Arrivals.check`)."""

        async def fences() -> dict[str, int]:
            return {name: lease.fence for name, lease in (await self.leases(database)).items()}

        return await self.arrivals.check(database, fences, waits)
