"""Two versions on one database, and `migrate` while clients deliver."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass

from database import Database
from load import Book, Load
from server import Programs, Server
from trial import Outcome, Trial, eventually

# How a program ends that does not fit the database (sysexits.h: EX_CONFIG).
MISFIT = 78


@dataclass(frozen=True)
class SchemaState:
    """What a database has: its migrations with their checksums, and its definitions."""

    migrations: tuple[str, ...]
    revision: int
    checksum: str

    @staticmethod
    async def read(database: Database) -> SchemaState:
        migrations = await database.sql(
            "SELECT name || ' ' || checksum FROM attribution.schema_migration ORDER BY number")
        revision, checksum = (await database.sql(
            "SELECT revision || ' ' || checksum FROM attribution.schema_definitions"))[0].split()
        return SchemaState(tuple(migrations), int(revision), checksum)

    def migrates(self, stored: SchemaState) -> bool:
        """Whether `migrate` of a version that makes this takes a database that has the other (docs/upgrades.md)."""
        return (
            self.migrations[:len(stored.migrations)] == stored.migrations
            and (self.revision > stored.revision or self.defines(stored)))

    def defines(self, stored: SchemaState) -> bool:
        return (self.revision, self.checksum) == (stored.revision, stored.checksum)

    def serves(self, stored: SchemaState) -> bool:
        """Whether a server of a version that makes this starts on a database that has the other."""
        return self.migrations == stored.migrations and self.defines(stored)

    def stays_ready(self, stored: SchemaState) -> bool:
        """Whether such a server, which runs already, stays ready."""
        return self.migrations == stored.migrations and (stored.revision > self.revision or self.defines(stored))


class Matrix:
    """What each version may do with the database of the other: seen, beside what the documents say."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._rows: list[tuple[str, str, str]] = []

    def command(self, database: str, what: str, is_allowed: bool, seen: Outcome) -> None:
        """What a program did: it works, or it is refused with the exit code that says so."""
        self.add(database, what, is_allowed, seen.code == 0, str(seen))
        if seen.code not in (0, MISFIT):
            self._trial.result.fail(f"{database}, {what}: {seen}")

    def add(self, database: str, what: str, is_allowed: bool, works: bool, seen: str) -> None:
        self._rows.append((database, what, seen))
        if works != is_allowed:
            self._trial.result.fail(
                f"{database}, {what}: {seen}; by the schema it {'works' if is_allowed else 'is refused'}")

    def show(self) -> None:
        self._trial.result.note("| the database | what | seen |")
        self._trial.result.note("|---|---|---|")
        for row in self._rows:
            self._trial.result.note("| " + " | ".join(row) + " |")


async def attempt(trial: Trial, programs: Programs, database: Database, name: str) -> Outcome:
    """Starts a server that may be refused, and ends it in order."""
    server = trial.server(programs, database, name)
    outcome = await trial.started(server)
    if outcome.code == 0:
        await server.end(signal.SIGTERM)
    return outcome


async def migrate(trial: Trial, programs: Programs, database: Database) -> Outcome:
    start = time.monotonic()
    outcome = await trial.command(programs, database, "migrate", user="attribution_owner")
    trial.result.note(f"migrate took {time.monotonic() - start:.1f} s: {outcome.line}")
    return outcome


async def readiness(server: Server, is_ready: bool) -> int:
    """Waits until the status of `/ready` is what it should be, and returns it: the server looks every few seconds."""
    status = 0

    async def fits() -> bool:
        nonlocal status
        status = await server.ready()
        return (status == 200) == is_ready

    await eventually(fits)
    return status


async def upgraded(trial: Trial) -> None:
    """An older version serves, this one migrates and serves beside it, the older one ends; clients deliver all the time.

    If the schema does not allow this, it is refused, nothing changes, and the older version goes on.
    """
    older, programs, matrix, book = trial.older, trial.programs, Matrix(trial), Book()
    assert older is not None
    database, other = await trial.migrated("older", older), await trial.migrated("newer", programs)
    old, new = await SchemaState.read(database), await SchemaState.read(other)
    for who, which, own in [("an older server", older, old), ("a newer server", programs, new)]:
        for where, there, stored in [("older", database, old), ("newer", other, new)]:
            matrix.command(
                f"made by the {where} version", f"{who} starts", own.serves(stored),
                await attempt(trial, which, there, f"{who.split()[1]}-on-{where}"))
    matrix.command(
        "made by the newer version", "`migrate` of the older version", old.migrates(new),
        await trial.command(older, other, "migrate", user="attribution_owner"))
    before = trial.server(older, database, "older")
    await before.start()
    load = trial.load(book, before)
    await trial.until(load, 0.2)
    seen = await migrate(trial, programs, database)
    matrix.command("made by the older version", "`migrate` of the newer version, under load", new.migrates(old), seen)
    stored = await SchemaState.read(database)
    if stored != (new if seen.code == 0 else old):
        trial.result.fail("after `migrate` the database has neither what the newer version makes nor what it had")
    if seen.code == 0:
        await side_by_side(trial, matrix, database, before, old, new, load)
    await trial.finish(load)
    matrix.show()
    await trial.check(book, database, is_ours=stored == new)


async def side_by_side(
    trial: Trial, matrix: Matrix, database: Database, before: Server, old: SchemaState, new: SchemaState, load: Load
) -> None:
    """Both versions serve what the newer one has migrated, and clients deliver to both; then the older server ends."""
    older, programs, migrated = trial.older, trial.programs, "migrated by the newer version"
    assert older is not None
    status = await readiness(before, old.stays_ready(new))
    matrix.add(
        migrated, "an older server that runs already", old.stays_ready(new), status == 200,
        f"`/ready` answers {status}, postbacks are counted")
    await trial.grant(programs, database)
    after = trial.server(programs, database, "newer")
    matrix.command(migrated, "a newer server starts", True, await trial.started(after))
    load.ports.append(after.port)
    await trial.until(load, 0.6)
    matrix.command(
        migrated, "an older server starts", old.serves(new), await attempt(trial, older, database, "older-on-migrated"))
    matrix.command(
        migrated, "`migrate` of the older version", old.migrates(new),
        await trial.command(older, database, "migrate", user="attribution_owner"))
    matrix.command(
        migrated, "`migrate` of the newer version once more", True,
        await trial.command(programs, database, "migrate", user="attribution_owner"))
    load.ports.remove(before.port)
    if code := await before.end(signal.SIGTERM):
        trial.result.fail(f"the older server ended with {code} after SIGTERM")


async def definitions_replaced(trial: Trial) -> None:
    """`migrate` replaces all definitions three times, while clients deliver to a server."""
    database, book = await trial.migrated("definitions", trial.programs), Book()
    server = trial.server(trial.programs, database, "definitions")
    await server.start()
    load = trial.load(book, server)
    for share in (0.2, 0.4, 0.6):
        await trial.until(load, share)
        # As if an older version had made them.
        await database.sql("UPDATE attribution.schema_definitions SET revision = 0, checksum = 'older'")
        outcome = await migrate(trial, trial.programs, database)
        if outcome.code != 0 or "definitions" not in outcome.line:
            trial.result.fail(f"the definitions were not replaced: {outcome}")
    if (status := await readiness(server, True)) != 200:
        trial.result.fail(f"the server is not ready: /ready answers {status}")
    await trial.finish(load)
    await trial.check(book, database)
