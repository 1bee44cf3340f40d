"""One database with the schema of a version, a server on it, clients that deliver to it, and what is checked afterwards."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from database import ROOT, Database, Standby
from findings import Findings
from load import STORED, Book, Comparison, Load, Postback
from server import Programs, Server

# How long clients may take until all is acknowledged.
ENOUGH = 120.0


@dataclass
class Result(Findings):
    """What one kind showed."""

    acknowledged: int = 0
    # Acknowledged after the moment of a backup, and so not in it.
    after: int | None = None
    # What was done, in the order in which it was: one line each.
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)
        print(f"     {text}", flush=True)

    def cells(self) -> dict[str, str]:
        return {"acknowledged": str(self.acknowledged)} | super().cells() | {
            "after the moment": "-" if self.after is None else str(self.after)}


@dataclass(frozen=True)
class Outcome:
    """How a command ended, or that a server listens: its exit code, and its last line."""

    code: int
    line: str

    def __str__(self) -> str:
        return "works" if self.code == 0 else f"{self.line.removeprefix('PostbackServer: ')} (exit code {self.code})"


@dataclass
class Trial:
    """What all kinds use."""

    # This build's, and an older one's if there is one.
    programs: Programs
    older: Programs | None
    scratch: Path
    choice: random.Random
    bodies: list[bytes]
    # New postbacks in a second, while something is done.
    rate: float
    result: Result
    tidying: list[Callable[[], Awaitable[object]]] = field(default_factory=list)

    async def database(self, name: str, settings: str = "") -> Database:
        """An empty database in a cluster of its own."""
        database = Database(self.scratch / name, settings)
        self.tidying.append(database.destroy)
        await database.start()
        return database

    async def migrated(self, name: str, programs: Programs, settings: str = "") -> Database:
        """A database that a version has made, with its roles."""
        database = await self.database(name, settings)
        await self.grant(programs, database)
        await self.expect(programs, database, 0, "migrate", user="attribution_owner")
        await self.grant(programs, database)
        return database

    async def grant(self, programs: Programs, database: Database) -> None:
        await programs.grant(database, "--backup", "attribution_backup")

    def server(self, programs: Programs, database: Database | Standby, name: str) -> Server:
        """A server of a version, which is not started yet."""
        url = f"host={database.socket} port=5432 dbname=attribution user=attribution_serve"
        server = Server(programs, url, self.scratch / f"{name}.log")

        async def end() -> None:
            if server.process is not None and server.process.returncode is None:
                server.process.kill()
                await server.process.wait()

        # Before its database.
        self.tidying.append(end)
        return server

    async def started(self, server: Server) -> Outcome:
        """Starts a server that may refuse to start."""
        try:
            await server.start()
        except RuntimeError:
            code = server.process.returncode if server.process is not None else None
            lines = server.log.read_text(errors="replace").splitlines() or [""]
            return Outcome(code or 1, lines[-1])
        return Outcome(0, "")

    async def command(
        self, programs: Programs, database: Database | Standby, *arguments: str, user: str = "attribution_serve"
    ) -> Outcome:
        """Runs a command of a version; it may fail."""
        process = await asyncio.create_subprocess_exec(
            programs.folder / "PostbackServer", *arguments, cwd=self.scratch, env={
                "PATH": "/usr/bin:/bin", "KEYRING_PATH": str(programs.keys),
                "DATABASE_URL": f"host={database.socket} port=5432 dbname=attribution user={user}",
            }, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        output, _ = await process.communicate()
        lines = output.decode(errors="replace").splitlines() or [""]
        return Outcome(process.returncode or 0, lines[-1])

    async def expect(
        self, programs: Programs, database: Database | Standby, code: int, *arguments: str, user: str = "attribution_serve"
    ) -> Outcome:
        """Runs a command that must end with this exit code."""
        outcome = await self.command(programs, database, *arguments, user=user)
        if outcome.code != code:
            self.result.fail(f"{' '.join(arguments)}: {outcome.line}; the exit code is {outcome.code}, not {code}")
        return outcome

    def load(self, book: Book, *servers: Server) -> Load:
        """Clients that deliver to servers all postbacks, new ones slowly."""
        load = Load([server.port for server in servers], [Postback.read(body) for body in self.bodies], book, self.choice)
        load.pace(self.rate)
        load.start(8)
        return load

    async def until(self, load: Load, share: float) -> None:
        """Waits until this share of all postbacks is acknowledged."""
        deadline = asyncio.get_running_loop().time() + ENOUGH
        while load.acknowledged < share:
            if asyncio.get_running_loop().time() > deadline:
                raise AssertionError(f"{load.open} of {len(self.bodies)} postbacks were not acknowledged in time")
            await asyncio.sleep(0.02)

    async def finish(self, load: Load) -> None:
        """Delivers the rest."""
        load.mark()
        if left := await load.finish(ENOUGH):
            self.result.fail(f"{left} postbacks were not acknowledged within {ENOUGH:.0f} s")
        self.result.count(load)

    async def lose(self, load: Load) -> None:
        """Ends clients whose server is gone."""
        await load.finish(0)
        self.result.count(load)

    async def check(
        self, book: Book, database: Database | Standby, acknowledged: dict[str, int] | None = None, after: str = "",
        is_ours: bool = True
    ) -> Comparison:
        """Checks that what was acknowledged, by now or by an earlier moment, is stored once and counted right.

        If the schema is that of an older version, which may have no command for it, it is recounted in SQL only.
        """
        found = book.compare(await database.sql(STORED), acknowledged)
        differences = await database.file(ROOT / "tools" / "recount-log.sql")
        differences += await database.sql("SELECT concat_ws(' ', table_name, key) FROM attribution.recount")
        if is_ours and (recount := await self.command(self.programs, database, "recount")).code != 0:
            differences.append(recount.line)
        self.result.compare(found, differences, after)
        self.result.acknowledged = len(book.acknowledged)
        if book.wrong:
            self.result.fail(f"wrong answers: {dict(book.wrong)}")
        return found

    async def tidy(self) -> None:
        """Ends servers and removes databases, the last ones first."""
        while self.tidying:
            await self.tidying.pop()()


async def eventually(condition: Callable[[], Awaitable[bool]], seconds: float = 60) -> bool:
    """Waits for a state; returns whether it came."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not await condition():
        if asyncio.get_running_loop().time() > deadline:
            return False
        await asyncio.sleep(0.1)
    return True
