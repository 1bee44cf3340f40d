"""What is done to the server and to its database, one function for each kind of round.

Each function hurts something while clients deliver, and brings everything back before it returns.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from cluster import Cluster
from database import Database, Standby
from forwarding import Forwarding
from load import PATIENCE, Load
from proxy import Cut, Proxy
from server import Programs, Server


@dataclass
class Stage:
    """Everything that a round may hurt."""

    database: Database
    proxies: list[Proxy]
    servers: list[Server]
    programs: Programs
    scratch: Path
    choice: random.Random
    load: Load | None = None
    # What destinations get, beside each round.
    forwarding: Forwarding | None = None
    # On a Citus cluster; its coordinator is the database, and there is a proxy for each node.
    cluster: Cluster | None = None
    # How many shards a round moves, or how many operations it does.
    changes: int = 10
    # New postbacks in a second while operations are done.
    rate: float = 100
    # What the comparison after each fault found.
    differences: list[str] = field(default_factory=list)
    # What else a round found wrong.
    problems: list[str] = field(default_factory=list)
    operations: Counter[str] = field(default_factory=Counter)
    # For two servers that meet the same new sources: what the second one gets, and the sources of both with their postbacks.
    rival: Load | None = None
    sources: Counter[str] = field(default_factory=Counter)
    # A round with databases of its own says here where its postbacks are, and how it tidies up.
    other: Database | Standby | None = None
    tidy: Callable[[], Awaitable[None]] | None = None

    async def compare(self, fault: str) -> None:
        """Compares state, bodies and log after a fault, while clients deliver."""
        self.differences += [f"after {fault}: {row}" for row in await self.database.log_differences()]

    async def pause(self, least: float, most: float) -> None:
        await asyncio.sleep(self.choice.uniform(least, most))

    @property
    def nodes(self) -> list[Database]:
        return self.cluster.nodes if self.cluster else [self.database]

    async def deadlocks(self) -> int:
        return sum([await node.count_in_log("deadlock") for node in self.nodes])

    def spread_new(self) -> None:
        """Lets new postbacks last as long as something slow is done."""
        if self.load is not None:
            self.load.share_of_new = 0.12


async def server_killed(stage: Stage) -> None:
    server = stage.choice.choice(stage.servers)
    await server.end(signal.SIGKILL)
    await stage.pause(0, 1)
    await server.start()


async def server_terminated(stage: Stage) -> None:
    server = stage.choice.choice(stage.servers)
    code = await server.end(signal.SIGTERM)
    if code != 0:
        raise AssertionError(f"the server ended with {code} after SIGTERM")
    await stage.pause(0, 0.5)
    await server.start()


async def two_servers(stage: Stage) -> None:
    """A second server on the same database; then one of the two is killed, while the other goes on."""
    second = stage.servers[0].twin(stage.scratch / "second.log")
    await second.start()
    if stage.load is not None:
        stage.load.ports.append(second.port)
    await stage.pause(0.5, 2)
    await stage.choice.choice([stage.servers[0], second]).end(signal.SIGKILL)
    await stage.pause(0.2, 1)
    if stage.servers[0].process is None or stage.servers[0].process.returncode is not None:
        await stage.servers[0].start()
    if stage.load is not None:
        stage.load.ports.remove(second.port)
    await second.end(signal.SIGKILL)


async def new_sources(stage: Stage) -> None:
    """Two servers meet the same new sources at the same time, each by postbacks of its own; one of the two is killed."""
    load, rival = stage.load, stage.rival
    assert load is not None and rival is not None
    deadlocks = await stage.deadlocks()
    second = stage.servers[0].twin(stage.scratch / "second.log")
    await second.start()
    try:
        rival.ports.append(second.port)
        for one in (load, rival):
            one.share_of_new = 1
            one.resume()
        # Somewhere in the middle, for both have about as many left.
        left = rival.open * stage.choice.uniform(0.2, 0.8)
        await until(lambda: rival.open <= left)
        victim = stage.choice.choice([stage.servers[0], second])
        await victim.end(signal.SIGKILL)
        await stage.pause(0, 1)
        await victim.start()
        rival.mark()
        await until(lambda: load.open == 0 and rival.open == 0)
        await rival.finish(PATIENCE)
    finally:
        await second.end(signal.SIGKILL)
    stage.problems += await stage.database.doubled_dimensions()
    if met := await stage.deadlocks() - deadlocks:
        stage.problems.append(f"the logs tell of a deadlock {met} times")
    stored: Counter[str] = Counter()
    for row in await stage.database.sql(
        "SELECT concat_ws(' ', coalesce(source_app_id::text, source_domain), count(*)) FROM attribution.postback"
        " WHERE coalesce(source_app_id::text, source_domain) IS NOT NULL GROUP BY source_app_id, source_domain"):
        name, count = row.split(" ")
        stored[name] += int(count)
    wrong = [name for name, count in stage.sources.items() if stored[name] != count]
    if wrong:
        stage.problems.append(f"{len(wrong)} of {len(stage.sources)} sources have lost postbacks or have too many: {wrong[:3]}")


async def until(condition: Callable[[], bool], seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not all was acknowledged within {seconds:.0f} s")
        await asyncio.sleep(0.02)


async def postgres_killed(stage: Stage) -> None:
    await stage.database.command("kill")
    await stage.pause(0, 1)
    await stage.database.start()


async def postgres_stopped(stage: Stage) -> None:
    """All processes are stopped and go on later, as if the machine had hung."""
    stage.database.signal(signal.SIGSTOP)
    await stage.pause(2, 8)
    stage.database.signal(signal.SIGCONT)


async def postgres_restarted(stage: Stage) -> None:
    await stage.database.command("stop")
    await stage.database.start()


async def postgres_away(stage: Stage) -> None:
    await stage.database.command("stop")
    await stage.pause(2, 8)
    await stage.database.start()


async def disk_full(stage: Stage) -> None:
    """No process of PostgreSQL can write beyond a size in a file: tables, indexes and the write-ahead log."""
    await stage.database.limit_files(stage.choice.choice([64 << 10, 1 << 20, 4 << 20]))
    await stage.pause(2, 5)
    await stage.database.limit_files(None)
    if stage.database.processes():
        # Those that were made meanwhile have the limit of the first one, which is lifted now.
        await asyncio.sleep(0.2)
        await stage.database.limit_files(None)
    # A full write-ahead log ends the database. It is started again when there is room.
    await stage.database.start()


async def table_locked(stage: Stage) -> None:
    table = stage.choice.choice(["postback_state", "postback_log", "postback_body"])
    seconds = stage.choice.uniform(2, 8)
    await stage.database.sql(
        f"BEGIN; LOCK TABLE attribution.{table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({seconds:.1f}); ROLLBACK")


async def cut_commits(stage: Stage, where: Cut) -> None:
    for proxy in stage.proxies:
        proxy.cut = where
    await stage.pause(1, 3)
    for proxy in stage.proxies:
        proxy.cut = None


async def commit_lost(stage: Stage) -> None:
    """Connections are cut before the end of a batch reaches the database."""
    await cut_commits(stage, Cut.BEFORE)


async def commit_unanswered(stage: Stage) -> None:
    """Connections are cut when a batch commits, so that the server can't know whether it did."""
    await cut_commits(stage, Cut.AFTER)


async def terminate_backends(database: Database) -> None:
    await database.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")


async def backends_terminated(stage: Stage) -> None:
    for _ in range(stage.choice.randint(2, 6)):
        await terminate_backends(stage.database)
        await stage.pause(0.05, 0.5)


async def read_only(stage: Stage) -> None:
    """New sessions can't write, as after a switch to a standby; then they can again."""
    await stage.database.sql("ALTER DATABASE attribution SET default_transaction_read_only = on")
    await terminate_backends(stage.database)
    await stage.pause(1, 3)
    await stage.database.sql(
        "BEGIN READ WRITE; ALTER DATABASE attribution RESET default_transaction_read_only; COMMIT")


async def blackholed(stage: Stage) -> None:
    """Lines go dead without an end; new ones work after some seconds, the dead ones stay dead."""
    for proxy in stage.proxies:
        proxy.blackhole()
    await stage.pause(2, 6)
    for proxy in stage.proxies:
        proxy.is_blackhole = False


async def log_pipe_full(stage: Stage) -> None:
    """Standard error is a pipe that nobody reads, and it is full from the beginning."""
    server = stage.servers[0]
    await server.end(signal.SIGKILL)
    reader, writer = os.pipe()
    # Another description of the same pipe: the server's end must go on blocking.
    filler = os.open(f"/proc/self/fd/{writer}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 65_536)
        for size in (4_096, 1):
            try:
                while True:
                    os.write(filler, b"x" * size)
            except BlockingIOError:
                pass
        await asyncio.wait_for(server.start(log=writer, LOG_LEVEL="debug"), 30)
        for _ in range(4):
            await backends_terminated(stage)
        await stage.pause(1, 2)
    finally:
        for descriptor in (filler, writer):
            os.close(descriptor)
        # The reader stays open, so that writing is not an error, until the server has another log.
        await server.end(signal.SIGKILL)
        os.close(reader)
        await server.start()


async def pair(stage: Stage) -> tuple[Database, Standby]:
    """A primary with a synchronous standby, both in the connection string of a server that clients deliver to."""
    primary = Database(stage.scratch / "primary")
    await primary.start()
    standby = Standby(primary)
    server = Server(stage.programs, "", stage.scratch / "standby.log")

    async def tidy() -> None:
        await server.end(signal.SIGKILL)
        await standby.destroy()
        await primary.command("destroy")

    stage.tidy = tidy
    hosts = [primary.socket, standby.socket]
    stage.choice.shuffle(hosts)
    server.database_url = f"host={','.join(hosts)} port=5432 dbname=attribution user=attribution_serve"
    await stage.programs.grant(primary)
    await Server(
        stage.programs, f"host={primary.socket} dbname=attribution user=attribution_serve", server.log).command("migrate")
    await stage.programs.grant(primary)
    await standby.start()
    await server.start()
    stage.other = primary
    if stage.load is not None:
        stage.load.ports[:] = [server.port]
        stage.load.resume()
    await stage.pause(1, 2)
    return primary, standby


async def standby_promoted(stage: Stage) -> None:
    """The primary is killed and its synchronous standby takes over."""
    primary, standby = await pair(stage)
    await primary.command("kill")
    await stage.pause(0, 1)
    await standby.promote()
    stage.other = standby


async def standby_away(stage: Stage) -> None:
    """The synchronous standby is killed, and somebody cancels commits that wait for it; then it takes over.

    The primary stores what the standby never gets. None of it may be acknowledged, even if it is delivered again.
    """
    primary, standby = await pair(stage)
    standby.kill()
    for _ in range(stage.choice.randint(20, 60)):
        await primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        await stage.pause(0, 0.1)
    await primary.command("kill")
    await standby.start_again()
    await standby.promote()
    stage.other = standby


def url(port: int) -> str:
    """A connection string that leads through a proxy on this port."""
    return f"host=127.0.0.1 port={port} dbname=attribution user=attribution_serve sslmode=disable gssencmode=disable"


# A round with postbacks of its own, which begin when both servers are there.
NEW_SOURCES = "two servers meet new sources, one killed"

KINDS: dict[str, Callable[[Stage], Awaitable[None]]] = {
    "server killed": server_killed,
    "server terminated (SIGTERM)": server_terminated,
    "two servers, one killed": two_servers,
    NEW_SOURCES: new_sources,
    "PostgreSQL killed": postgres_killed,
    "PostgreSQL stopped (SIGSTOP)": postgres_stopped,
    "PostgreSQL restarted": postgres_restarted,
    "PostgreSQL away": postgres_away,
    "disk full": disk_full,
    "table locked": table_locked,
    "COMMIT lost": commit_lost,
    "COMMIT unanswered": commit_unanswered,
    "backends terminated": backends_terminated,
    "read-only database": read_only,
    "line dead (blackhole)": blackholed,
    "log pipe full": log_pipe_full,
    "standby promoted": standby_promoted,
    "standby away, then promoted": standby_away,
}
