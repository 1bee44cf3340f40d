"""The private PostgreSQL of a run, its standby, and the ways in which they are hurt."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "postgres.sh"


async def run(*command: str | Path, check: bool = True, timeout: float = 120) -> str:
    """Runs a command and returns what it printed."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, errors = await asyncio.wait_for(process.communicate(), timeout)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    if check and process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: {errors.decode(errors='replace')}")
    return output.decode()


class Database:
    """A PostgreSQL cluster that scripts/postgres.sh makes in a folder, with more settings if need be."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.folder = folder
        self.settings = settings
        self.socket = ""

    async def start(self) -> None:
        for attempt in range(100):
            try:
                url = (await run("env", f"POSTGRES_SETTINGS={self.settings}", SCRIPT, "start", self.folder)).strip()
                break
            except RuntimeError:
                # A database that has ended itself and recovers takes no connections yet.
                if attempt == 99:
                    raise
                await asyncio.sleep(0.5)
        found = re.search(r"host=([^&]+)", url)
        if found is None:
            raise RuntimeError(f"no socket in {url}")
        self.socket = found.group(1)

    async def command(self, name: str) -> None:
        """`stop`, `kill` or `destroy` of the script."""
        await run(SCRIPT, name, self.folder)

    async def destroy(self) -> None:
        await self.command("destroy")

    @property
    def address(self) -> str:
        """The path of the socket."""
        return f"{self.socket}/.s.PGSQL.5432"

    async def sql(self, statement: str, *, check: bool = True, timeout: float = 120) -> list[str]:
        """Runs statements as the superuser, past every proxy; one text for each row."""
        output = await run(
            "psql", "-X", "-q", "-A", "-t", "-h", self.socket, "-p", "5432", "-U", "attribution", "-d", "attribution",
            "-v", "ON_ERROR_STOP=1", "-c", statement, check=check, timeout=timeout)
        return output.splitlines()

    async def file(self, path: Path) -> list[str]:
        """Runs a file of the checkout."""
        return await self.sql(path.read_text())

    async def log_differences(self) -> list[str]:
        """Compares state, bodies and log under load: each lane is compared in one snapshot.

        While a cluster commits a split, a session may see one table as it was before. So it looks again before it says so.
        """
        for pause in (1, 5, 20, 0):
            rows = await self._patiently(
                "SELECT concat_ws(' ', lane.lane, found.position, found.problem, found.postbacks, found.example)"
                "  FROM attribution.lane, attribution.compare_log(lane.lane,"
                "       attribution.first_position(attribution.first_day_of_lanes()), 9223372036854775807) AS found"
                " WHERE NOT is_closed")
            if not rows:
                break
            await asyncio.sleep(pause)
        return rows

    async def _patiently(self, statement: str) -> list[str]:
        """Runs a statement that only reads, again for a minute if it fails: a node that was killed may not be back."""
        deadline = time.monotonic() + 60
        while True:
            try:
                return await self.sql(statement)
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(1)

    async def count_in_log(self, text: str) -> int:
        """How often a text is in the log, which a run begins anew."""
        log = Path((await run(SCRIPT, "log", self.folder)).strip())
        return log.read_text(errors="replace").count(text)

    async def doubled_dimensions(self) -> list[str]:
        """The dimensions that have a row twice, under two numbers."""
        tables = await self.sql(
            "SELECT relname FROM pg_class WHERE relnamespace = 'attribution'::regnamespace AND relkind IN ('r', 'p')"
            " AND relname IN ('network', 'line', 'source', 'signing_key', 'traits') ORDER BY relname")
        doubled = []
        for table in tables:
            count = await self.sql(
                f"SELECT count(*) FROM (SELECT to_jsonb(row) - '{table}' FROM attribution.{table} AS row"
                " GROUP BY 1 HAVING count(*) > 1) AS twice")
            if count != ["0"]:
                doubled.append(f"{count[0]} rows of the dimension {table} are there twice")
        return doubled

    @property
    def data(self) -> Path:
        named = self.folder / "data-path"
        return Path(named.read_text().strip()) if named.exists() else self.folder / "data"

    @property
    def programs(self) -> Path:
        """The folder of PostgreSQL's programs, of the version that runs."""
        return Path(os.readlink(f"/proc/{self.processes()[0]}/exe")).parent

    def processes(self) -> list[int]:
        """All processes of the cluster, the first one first."""
        try:
            first = int((self.data / "postmaster.pid").read_text().split()[0])
            if os.readlink(f"/proc/{first}/cwd") != str(self.data):
                return []
            children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        except (OSError, ValueError, IndexError):
            return []
        return [first, *map(int, children)]

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to every process; the first one is first, so that it makes no others meanwhile."""
        for _ in range(2):
            for process in self.processes():
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass

    async def limit_files(self, size: int | None) -> None:
        """Lets no process write beyond a size in any file, as on a full disk; None lifts the limit."""
        soft = "unlimited" if size is None else str(size)
        for process in self.processes():
            # A process may have ended meanwhile.
            await run(*self.as_owner("prlimit", "--pid", str(process), f"--fsize={soft}:"), check=False)

    def as_owner(self, *command: str | Path) -> list[str]:
        """The command line that runs a command as the user who owns the data."""
        owner = self.data.stat()
        change = ["setpriv", f"--reuid={owner.st_uid}", f"--regid={owner.st_gid}", "--clear-groups", "--"]
        return (change if owner.st_uid != os.geteuid() else []) + [str(part) for part in command]


class Standby:
    """A synchronous standby of a database, on a socket of its own, that can take its place."""

    def __init__(self, primary: Database, name: str = "standby") -> None:
        self.primary = primary
        self._programs = Path()
        self.data = Path(f"{primary.data.parent}-{name}")
        self.socket = str(self.data) + ".socket"
        # A socket's path has 107 bytes only.
        if len(self.socket) > 80:
            self.socket = f"/tmp/aa-{name}-{os.getpid()}"

    async def _program(self, name: str, *arguments: str | Path) -> str:
        return await run(*self.primary.as_owner(self._programs / name, *arguments))

    async def start(self) -> None:
        """Copies the primary and follows it; from then on, a commit waits for both."""
        self._programs = self.primary.programs
        await run(*self.primary.as_owner("mkdir", "-m", "700", self.socket))
        await self._program(
            "pg_basebackup", "-h", self.primary.socket, "-p", "5432", "-U", "attribution", "-D", self.data, "-R", "-c",
            "fast", "-X", "stream")
        await self._start()
        await self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        await self.primary.sql("SELECT pg_reload_conf()")
        while not await self.primary.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"):
            await asyncio.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL to all of its processes, as if its machine had lost its power."""
        first = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for process in [first, *map(int, children)]:
            os.kill(process, signal.SIGKILL)

    async def start_again(self) -> None:
        """Starts it after a kill; it need not reach the primary."""
        first = (self.data / "postmaster.pid").read_text().split()[0]
        while Path(f"/proc/{first}").exists():
            await asyncio.sleep(0.02)
        await self._start()

    async def _start(self) -> None:
        await self._program(
            "pg_ctl", "-D", self.data, "-s", "-w", "-l", f"{self.data}.log", "-o", f"-k {self.socket}", "start")

    async def promote(self) -> None:
        """Makes it the primary, which waits for no standby."""
        # Its own copy of the setting would make it wait for a standby of its own.
        await self._program("pg_ctl", "-D", self.data, "-s", "-w", "promote")
        await self.sql("ALTER SYSTEM RESET synchronous_standby_names")
        await self.sql("SELECT pg_reload_conf()")

    async def sql(self, statement: str) -> list[str]:
        output = await run(
            "psql", "-X", "-q", "-A", "-t", "-h", self.socket, "-p", "5432", "-U", "attribution", "-d", "attribution",
            "-v", "ON_ERROR_STOP=1", "-c", statement)
        return output.splitlines()

    async def file(self, path: Path) -> list[str]:
        return await self.sql(path.read_text())

    async def destroy(self) -> None:
        if self.data.exists():
            try:
                await self._program("pg_ctl", "-D", self.data, "-s", "-m", "immediate", "stop")
            except RuntimeError:
                pass
        for path in (str(self.data), self.socket):
            shutil.rmtree(path, ignore_errors=True)
        Path(f"{self.data}.log").unlink(missing_ok=True)
