"""Backups that are made while clients deliver, and what a database that is recovered from them has."""

from __future__ import annotations

import signal
from pathlib import Path

from database import ROOT, Database, Standby, run
from load import Book
from trial import Trial, eventually

# Each finished segment of the write-ahead log is copied. The working folder is that of the data.
ARCHIVING = """
wal_level = replica
archive_mode = on
archive_command = 'mkdir -p ../archive && test ! -f ../archive/%f && cp %p ../archive/%f'
"""


class BaseBackup(Standby):
    """A base backup of a database, which can be recovered to a moment with the archive."""

    def __init__(self, primary: Database) -> None:
        super().__init__(primary, "recovered")
        self._archive = primary.data.parent / "archive"

    async def take(self) -> None:
        """Copies the database while it is written."""
        self._programs = self.primary.programs
        await self._program(
            "pg_basebackup", "-h", self.primary.socket, "-p", "5432", "-U", "attribution_base", "-D", self.data, "-c",
            "fast")

    async def recover(self, moment: str) -> None:
        """Starts it, and lets it read the archive up to a moment; then it accepts writes."""
        await run(*self.primary.as_owner("mkdir", "-m", "700", self.socket))
        settings = (
            f"restore_command = 'cp {self._archive}/%f %p'\n"
            f"recovery_target_time = '{moment}'\nrecovery_target_action = 'promote'\n")
        configuration = self.data / "postgresql.auto.conf"
        # It is not the primary of this archive any more.
        kept = configuration.read_text() + "archive_mode = off\n"
        configuration.write_text(kept + settings)
        await run(*self.primary.as_owner("touch", self.data / "recovery.signal"))
        await self._start()

        async def is_open() -> bool:
            return await self.sql("SELECT pg_is_in_recovery()") == ["f"]

        if not await eventually(is_open):
            raise AssertionError("the recovery did not end")
        # A standby that is made from it would have them too.
        configuration.write_text(kept)


async def dumped(trial: Trial) -> None:
    """`pg_dump` as the backup role under load; then the machine is lost, and the dump is recovered in a new cluster."""
    database, book = await trial.migrated("dumped", trial.programs), Book()
    server = trial.server(trial.programs, database, "dumped")
    await server.start()
    load = trial.load(book, server)
    await trial.until(load, 0.4)
    before, file = dict(book.acknowledged), trial.scratch / "attribution.dump"
    await run(
        database.programs / "pg_dump", "--format=custom", f"--file={file}", "--host", database.socket, "--port", "5432",
        "--username", "attribution_backup", "attribution")
    trial.result.note(f"pg_dump wrote {file.stat().st_size:,} bytes; {len(before)} postbacks were acknowledged before it")
    await trial.until(load, 0.8)
    await server.end(signal.SIGKILL)
    await trial.lose(load)
    await database.destroy()
    recovered = await trial.database("from-dump")
    await trial.grant(trial.programs, recovered)
    await run(
        recovered.programs / "pg_restore", "--exit-on-error", "--no-owner", "--no-privileges", "--host", recovered.socket,
        "--port", "5432", "--username", "attribution_owner", "--dbname", "attribution", file)
    await trial.grant(trial.programs, recovered)
    await check_recovered(trial, book, before, recovered)


async def to_a_moment(trial: Trial) -> None:
    """A base backup under load and an archive of the write-ahead log; somebody deletes rows, and the moment before is recovered.

    The database of before is still there, so what it counted after the moment is imported from its bodies.
    """
    database, book = await trial.migrated("primary", trial.programs, ARCHIVING), Book()
    await database.sql("CREATE ROLE attribution_base LOGIN REPLICATION")
    server = trial.server(trial.programs, database, "primary")
    await server.start()
    load = trial.load(book, server)
    await trial.until(load, 0.2)
    backup = BaseBackup(database)
    trial.tidying.append(backup.destroy)
    # Slowly, so that enough is left for afterwards.
    load.pace(trial.rate / 4)
    await backup.take()
    load.pace(trial.rate)
    trial.result.note(f"pg_basebackup ended when {len(book.acknowledged)} postbacks were acknowledged")
    done = load.acknowledged
    await trial.until(load, done + (1 - done) / 3)
    before = dict(book.acknowledged)
    moment = (await database.sql("SELECT clock_timestamp()"))[0]
    trial.result.note(f"the moment is {moment}; {len(before)} postbacks were acknowledged before it")
    await trial.until(load, done + (1 - done) * 2 / 3)
    await database.sql("DELETE FROM attribution.postback_state WHERE transaction_id < '80000000-0000-0000-0000-000000000000'")
    await server.end(signal.SIGKILL)
    await trial.lose(load)
    last = (await database.sql("SELECT pg_walfile_name(pg_switch_wal())"))[0]

    async def is_archived() -> bool:
        return await database.sql(f"SELECT last_archived_wal >= '{last}' FROM pg_stat_archiver") == ["t"]

    if not await eventually(is_archived):
        raise AssertionError(f"{last} was not archived")
    await backup.recover(moment)
    await check_recovered(trial, book, before, backup, await bodies_since(trial, database, moment))


async def bodies_since(trial: Trial, database: Database, moment: str) -> Path:
    """A file of the bodies that a database has stored since a moment, as `import` reads them."""
    # They were received before they were stored. Known ones are duplicates.
    since = (await database.sql(f"SELECT timestamptz '{moment}' - interval '10 minutes'"))[0]
    file = trial.scratch / "bodies.ndjson"
    file.write_text(await run(
        "psql", "-X", "-A", "-t", "-h", database.socket, "-p", "5432", "-U", "attribution_backup", "-d", "attribution",
        "-v", f"since={since}", "-f", ROOT / "tools" / "bodies-since.sql"))
    return file


async def check_recovered(
    trial: Trial, book: Book, before: dict[str, int], recovered: Database | Standby, later: Path | None = None
) -> None:
    """A recovered database has all that was acknowledged before its moment, and counts the rest if it comes again.

    It comes from a file of bodies, or is delivered once more.
    """
    stored = (await trial.check(book, recovered, before, "after the recovery ")).stored
    gone = [key for key, value in book.acknowledged.items() if stored.get(key, -2) < value]
    trial.result.after = len(gone)
    trial.result.note(
        f"{len(stored)} postbacks were recovered; of {len(book.acknowledged)} acknowledged ones {len(gone)} came after the "
        "moment, and nobody delivers them again by himself")
    if later is not None:
        imported = await trial.expect(trial.programs, recovered, 0, "import", str(later))
        trial.result.note(f"the bodies since the moment were imported: {imported.line}")
        await trial.check(book, recovered, after="after the import ")
    server = trial.server(trial.programs, recovered, "recovered")
    await server.start()
    await trial.finish(trial.load(book, server))
    await trial.check(book, recovered, after="after all were delivered again ")
