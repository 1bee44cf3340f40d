#!/usr/bin/env python3
"""Hurts a server and its database in seeded random order, and checks that every acknowledged postback is counted once.

Each round delivers new postbacks from several connections while one thing is hurt, brings everything back, delivers again
what was not acknowledged, and checks. Beside it an export of every event runs, and is killed again and again, and two
destinations get every event. A seed repeats the kinds, their order, their choices and the postbacks; what the scheduler makes
of it is different each time. Python 3.11, its standard library and openssl suffice. With --cluster, the database is a Citus
cluster, whose nodes are hurt and whose shards move.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import cluster_rounds
import forwarding_rounds
import program
import rounds
from app_store import AppStore
from cluster import Cluster
from database import ROOT, Database, Standby
from export import Export
from findings import Findings, print_table
from forwarding import Forwarding
from load import STORED, Book, Load, Postback
from proxy import Proxy
from rounds import Stage, url
from server import TOKEN, Programs, Server

# How long a round may take to have everything acknowledged after all is back.
HELP_NEEDED = 45.0


@dataclass
class Figures(Findings):
    """What the rounds of one kind showed."""

    rounds: int = 0
    export: int = 0
    forwarded: int = 0
    repeated: int = 0
    missing: int = 0
    beginnings: int = 0
    helped: int = 0
    recovery: float = 0

    def cells(self) -> dict[str, str]:
        return {"rounds": str(self.rounds)} | super().cells() | {
            "export": str(self.export), "forwarded": str(self.forwarded), "senders": str(self.beginnings),
            "repeated": str(self.repeated), "missing": str(self.missing), "helped": str(self.helped),
            "longest recovery": f"{self.recovery:.2f} s"}


class Torture:
    """One run."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.choice = random.Random(arguments.seed)
        self.scratch = Path(arguments.scratch)
        self.cluster = Cluster(self.scratch / "cluster") if arguments.cluster else None
        self.kinds = kinds(arguments)
        self.width = max(map(len, self.kinds))
        self.database = self.cluster.coordinator if self.cluster else Database(self.scratch / "postgres")
        nodes = self.cluster.nodes if self.cluster else [self.database]
        self.proxies = [Proxy(lambda node=node: node.address, self.choice) for node in nodes]
        self.book = Book()
        self.figures = {kind: Figures(kind) for kind in self.kinds}
        # What is checked when all rounds are over.
        self.whole = Findings("the whole run")
        self.operations: Counter[str] = Counter()

    async def run(self) -> list[Findings]:
        self.scratch.mkdir(parents=True)
        try:
            options = ["app-store"] if self.arguments.app_store else []
            self.programs = await Programs.make(Path(self.arguments.programs), self.scratch, *options)
            self.app_store = AppStore(self.programs, self.arguments.customers, self.choice)
            await (self.cluster or self.database).start()
            ports = [await proxy.start() for proxy in self.proxies]
            self.server = Server(self.programs, url(ports[0]), self.scratch / "server.log")
            if self.cluster:
                self.server.settings["WORKER_ADDRESSES"] = self.cluster.worker_addresses(ports[1:])
            for node in self.cluster.nodes if self.cluster else []:
                # Each node for itself: Citus lets nobody change a role or a database over a worker.
                await node.sql(
                    "SET citus.enable_ddl_propagation = off; CREATE ROLE attribution_owner LOGIN; "
                    "ALTER DATABASE attribution OWNER TO attribution_owner")
            await self.programs.grant(self.database)
            await self.server.command("migrate")
            await self.programs.grant(self.database)
            if self.cluster:
                await self.server.command("distribute", "--lanes", str(self.arguments.lanes))
            self.export = Export(
                self.programs, self.server.database_url, self.scratch / "events", random.Random(self.arguments.seed))
            self.forwarding = Forwarding(self.server, self.scratch)
            await self.forwarding.start()
            await self.server.start()
            for number, kind in enumerate(self.order()):
                await self.round(number, kind)
            for what in (await self.forwarding.check(self.database, waits=True)).failures:
                self.whole.fail(what)
            if not self.arguments.no_reports:
                await self.check_reports()
        finally:
            if hasattr(self, "server"):
                await self.server.end(signal.SIGKILL)
            if hasattr(self, "forwarding"):
                await self.forwarding.kill_receiver()
            for proxy in self.proxies:
                await proxy.close()
            await (self.cluster or self.database).destroy()
        self.search_logs()
        self.print_table()
        return [*self.figures.values(), self.whole]

    def order(self) -> list[str]:
        """Every kind as often as any other, in random order."""
        wanted = self.arguments.kind or list(self.kinds)
        order: list[str] = []
        while len(order) < self.arguments.rounds:
            order += self.choice.sample(wanted, len(wanted))
        return order[:self.arguments.rounds]

    async def round(self, number: int, kind: str) -> None:
        figures = self.figures[kind]
        figures.rounds += 1
        seed = self.arguments.seed * 100_000 + number
        others: list[bytes] = []
        if kind == rounds.NEW_SOURCES:
            count = self.arguments.new_sources
            # Above those of other rounds.
            bodies, others = await self.programs.simulate_new_sources(seed, 1_000_000 + number * count, count)
        else:
            bodies = await self.programs.simulate(seed, self.arguments.postbacks)
        # A round with a database of its own has a book of its own.
        is_apart = kind.startswith("standby")
        book = Book() if is_apart else self.book
        self.forwarding.arrivals.deliver(bodies + others)
        load = Load([self.server.port], [Postback.read(body) for body in bodies], book, self.choice)
        rival = Load([], [Postback.read(body) for body in others], book, self.choice) if others else None
        # What is apart has a database of its own, and new sources are met as fast as possible.
        has_store = self.arguments.app_store and not is_apart and rival is None
        store = await self.app_store.load(seed, self.server.port) if has_store else None
        stage = Stage(
            self.database, self.proxies, [self.server], self.programs, self.scratch, self.choice, load, self.forwarding,
            self.cluster, self.arguments.moves, self.arguments.rate)
        stage.rival, stage.sources = rival, Counter(source(body) for body in bodies + others if others)
        clients = self.arguments.clients or self.choice.choice([2, 8, 32])
        if is_apart or rival is not None:
            load.hold()
        if not is_apart:
            self.export.start()
        load.start(clients)
        if rival is not None:
            rival.hold()
            rival.start(clients)
        if store is not None:
            store.start(2)
        try:
            await asyncio.sleep(self.choice.uniform(0.1, 0.5))
            await self.kinds[kind](stage)
            if not is_apart:
                await stage.compare(f"the round {kind}")
            load.mark()
            left = await load.finish(HELP_NEEDED)
            if left:
                figures.fail(f"{left} postbacks were not acknowledged {HELP_NEEDED:.0f} s after all was back")
                figures.helped += 1
                await self.help()
                load.start_again(self.arguments.clients or 8)
                await load.finish(HELP_NEEDED)
            if store is not None:
                for what in await self.app_store.finish(store, self.database, HELP_NEEDED):
                    figures.fail(what)
            for what in stage.problems:
                figures.fail(what)
            figures.differ(stage.differences)
            await self.check(figures, book, stage.other or self.database)
            if not is_apart:
                await self.check_export(figures)
                await self.check_forwarding(figures)
        except Exception as error:  # noqa: BLE001: a round that fails must not end the run
            figures.fail(f"{type(error).__name__}: {error}")
            if self.arguments.verbose:
                traceback.print_exc()
            for one in (load, rival, store):
                if one is not None:
                    await one.finish(0)
            await self.help()
        finally:
            await self.export.stop()
            if stage.tidy is not None:
                await stage.tidy()
        if is_apart:
            self.book.requests += book.requests
            self.book.answers += book.answers
            self.book.latest = max(self.book.latest, book.latest)
            self.book.wrong += book.wrong
        loads = [one for one in (load, rival) if one is not None]
        for one in loads:
            figures.count(one)
        self.operations += stage.operations
        latest = max(one.round_latest for one in loads)
        refused, unanswered = sum(one.refused for one in loads), sum(one.unanswered for one in loads)
        figures.recovery = max(figures.recovery, load.recovery)
        print(
            f"{number + 1:4} {kind:{self.width}} refused {refused:5}, unanswered {unanswered:4}, "
            f"latest answer {latest:5.2f} s, back after {load.recovery:5.2f} s, "
            f"{len(self.book.acknowledged)} acknowledged", flush=True)

    async def help(self) -> None:
        """What nobody should have to do: everything is started anew."""
        for proxy in self.proxies:
            proxy.cut, proxy.is_blackhole = None, False
        for node in self.cluster.nodes if self.cluster else [self.database]:
            node.signal(signal.SIGCONT)
            await node.limit_files(None)
            await node.start()
        await self.forwarding.start_receiver()
        await self.server.end(signal.SIGKILL)
        await self.server.start()

    async def check(self, figures: Figures, book: Book, database: Database | Standby) -> None:
        """What is stored is what was acknowledged, once."""
        found = book.compare(await database.sql(STORED))
        if self.cluster and not await self.is_folded():
            figures.fail(f"the log was not folded within {HELP_NEEDED:.0f} s")
        differences = await database.sql("SELECT concat_ws(' ', table_name, key) FROM attribution.recount")
        figures.compare(found, differences + await database.file(ROOT / "tools" / "recount-log.sql"))

    async def is_folded(self) -> bool:
        """Waits until all is folded, which must not take long."""
        for _ in range(int(HELP_NEEDED * 5)):
            if await self.database.sql(
                "SELECT count(*) FROM attribution.log_reader AS reader JOIN attribution.postback_log AS log USING (lane)"
                " WHERE reader.reader IN ('figures', 'answers')"
                " AND (log.position, log.ordinal) > (reader.position, reader.ordinal)") == ["0"]:
                return True
            await asyncio.sleep(0.2)
        return False

    async def check_export(self, figures: Figures) -> None:
        """What was exported is the log, once."""
        await self.export.stop()
        for what in await self.export.check(self.database):
            figures.export += 1
            figures.fail(what)

    async def check_forwarding(self, figures: Figures) -> None:
        """What destinations got is the log, in order."""
        found = await self.forwarding.check(self.database, waits=figures.kind in forwarding_rounds.AWAITED)
        figures.forwarded += found.received
        figures.repeated += found.repeated
        figures.missing += found.missing
        figures.beginnings += found.beginnings
        for what in found.failures:
            figures.fail(what)

    async def check_reports(self) -> None:
        """Every report is the sum of the exported events."""
        print("recounting every report from the exported events", flush=True)
        if what := await self.export.recount(self.database):
            self.whole.fail(what)

    def search_logs(self) -> None:
        """No log holds a secret."""
        secrets = [TOKEN] + [file.read_text().strip() for file in self.programs.keys.glob("*.secret")] + [
            file.read_text() for file in (self.programs.keys / "secrets").glob("*")] + [
            line for file in self.programs.keys.glob("*.pem") if not file.name.endswith(".pub.pem")
            for line in file.read_text().splitlines() if not line.startswith("-----")]
        for log in self.scratch.glob("*.log"):
            text = log.read_text(errors="replace")
            for secret in secrets:
                if secret in text:
                    self.whole.fail(f"{log.name} holds a secret")

    def print_table(self) -> None:
        print_table([row for row in self.figures.values() if row.rounds])
        answers = Counter({str(status): count for status, count in self.book.answers.items()})
        print(
            f"\nSeed {self.arguments.seed}: {sum(row.rounds for row in self.figures.values())} rounds, "
            f"{self.book.requests} requests, {len(self.book.acknowledged)} postbacks acknowledged in the shared database, "
            f"connections cut in a COMMIT: {sum(proxy.cuts for proxy in self.proxies)}, exports killed: {self.export.kills}, "
            f"forwarded: {self.forwarding.arrivals.received}, answers: {dict(sorted(answers.items()))}, "
            f"wrong: {dict(self.book.wrong) or 'none'}, latest answer {self.book.latest:.2f} s")
        if self.operations:
            print(f"Operations with a kill: {dict(sorted(self.operations.items()))}")
        if self.cluster and self.cluster.stuck_splits:
            print(f"Splits that got stuck and were done again (docs/cluster.md): {self.cluster.stuck_splits}")


def kinds(arguments: argparse.Namespace) -> dict[str, Callable[[Stage], Awaitable[None]]]:
    """What can be done to this database."""
    return (cluster_rounds.KINDS if arguments.cluster else rounds.KINDS) | forwarding_rounds.KINDS


def source(body: bytes) -> str:
    """The app or the domain that showed the ad."""
    fields = json.loads(body)
    return str(fields.get("source-app-id") or fields["source-domain"])


def main() -> int:
    parser = program.options(__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument(
        "--clients", type=int, default=8, help="connections at the same time; 0 for 2 to 32, another number each round")
    parser.add_argument(
        "--new-sources", type=int, default=10_000, help=f"sources that both servers meet in the round “{rounds.NEW_SOURCES}”")
    parser.add_argument("--cluster", action="store_true", help="on a Citus cluster of a coordinator and two workers")
    parser.add_argument("--lanes", type=int, default=16, help="the lanes, and shards, of the cluster")
    parser.add_argument("--moves", type=int, default=10, help="shards that are moved, or operations that are done, in one round")
    parser.add_argument("--app-store", action="store_true", help="deliver notifications of the App Store beside postbacks")
    parser.add_argument("--customers", type=int, default=100, help="customers of the App Store in each round")
    parser.add_argument("--no-reports", action="store_true", help="do not recount every report at the end")
    arguments = parser.parse_args()
    program.check_kinds(parser, arguments, list(kinds(arguments)))
    print(f"Torture with seed {arguments.seed}, {arguments.rounds} rounds", flush=True)
    return program.finish(arguments, Torture(arguments).run())


if __name__ == "__main__":
    sys.exit(main())
