"""The server under test: its program, its key ring and its log."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from database import ROOT, Database, run

TOKEN = "a-token-of-the-torture-of-32-characters"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


async def listens(port: int) -> bool:
    """Whether somebody takes connections at a port of this machine."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@dataclass
class Programs:
    """Where the built programs are, and the keys that postbacks are made with."""

    folder: Path
    keys: Path

    @staticmethod
    async def make(programs: Path, scratch: Path, *options: str) -> Programs:
        keys = scratch / "keys"
        await run(ROOT / "scripts" / "demo-keyring.sh", keys, programs / "adsign", *options)
        return Programs(programs, keys)

    async def grant(self, database: Database, *others: str) -> None:
        """Makes the roles attribution_owner and attribution_serve, and gives them their rights on what is there.

        Options name other roles.
        """
        await database.sql(await run(
            self.folder / "PostbackServer", "grants", "--create-roles", "--owner", "attribution_owner", "--serve",
            "attribution_serve", *others))

    async def simulate(self, seed: int, count: int) -> list[bytes]:
        """Postbacks of SKAdNetwork, some of them twice and some with a higher value the second time.

        They come from a hundred thousand source apps and five thousand domains by Zipf's law, so each round meets new ones.
        """
        return await self._simulate(
            "--seed", str(seed), "--count", str(count), "--duplicates", "0.1", "--raises", "0.1", "--shuffle",
            "--version", "2.0", "--version", "2.2", "--version", "3.0", "--version", "4.0", "--tier-3-rate", "1",
            "--sources", "zipf:100000", "--domains", "zipf:5000", "--lines", "zipf:300")

    async def simulate_new_sources(self, seed: int, first: int, count: int) -> tuple[list[bytes], list[bytes]]:
        """Two times one postback of each of the same sources, in the same order: half of them apps and half domains.

        The sources have numbers from `first` on.
        """
        half = count // 2
        options = (
            "--count", str(2 * half), "--version", "4.0", "--tier-3-rate", "1", "--source-app-rate", "1",
            "--lines", "zipf:20000", "--first-source", str(first))
        apps = await self._simulate(
            "--seed", str(2 * seed), "--sources", f"each:{half}", "--source-domain-rate", "0", *options)
        domains = await self._simulate(
            "--seed", str(2 * seed + 1), "--domains", f"each:{half}", "--source-domain-rate", "1", *options)
        both = [body for pair in zip(apps, domains, strict=True) for body in pair]
        return both[:2 * half], both[2 * half:]

    async def simulate_app_store(self, seed: int, customers: int) -> tuple[list[bytes], list[dict[str, Any]]]:
        """Notifications of both versions in random order, some three times, and what is true once they have arrived."""
        truth = self.keys.parent / "truth.json"
        output = await run(
            self.folder / "adsign", "simulate", "--app-store", str(customers), "--seed", str(seed), "--shuffle",
            "--key", self.keys / "store-root.pem", "--shared-secret-file", self.keys / "store.secret",
            "--v1-share", "0.2", "--repeated-share", "0.1", "--refund-share", "0.15", "--truth", truth)
        return [line.encode() for line in output.splitlines()], json.loads(truth.read_text())["delivered"]

    async def _simulate(self, *options: str) -> list[bytes]:
        output = await run(
            self.folder / "adsign", "simulate", "--key", self.keys / "load-test-p192.pem",
            "--key", self.keys / "load-test-p256.pem", "--key-name", "load-test-p256", *options)
        return [line.encode() for line in output.splitlines()]


@dataclass
class Server:
    """One PostbackServer, on the same ports whenever it is started."""

    programs: Programs
    database_url: str
    log: Path
    port: int = field(default_factory=free_port)
    admin_port: int = field(default_factory=free_port)
    settings: dict[str, str] = field(default_factory=dict)
    process: asyncio.subprocess.Process | None = None

    def twin(self, log: Path) -> Server:
        """Another server on the same database."""
        return Server(self.programs, self.database_url, log, settings=self.settings)

    async def start(self, log: int | None = None, **settings: str) -> None:
        """Starts it and waits until it listens; standard error goes to its log file, or to a descriptor."""
        environment = {
            "PATH": "/usr/bin:/bin", "HTTP_PORT": str(self.port), "ADMIN_PORT": str(self.admin_port),
            "ADMIN_TOKEN": TOKEN, "DATABASE_URL": self.database_url, "KEYRING_PATH": str(self.programs.keys),
        } | self.settings | settings
        with self.log.open("ab") as file:
            self.process = await asyncio.create_subprocess_exec(
                self.programs.folder / "PostbackServer", "serve", env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=file if log is None else log, cwd=self.log.parent)
        while not await listens(self.port):
            if self.process.returncode is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}: see {self.log}")
            await asyncio.sleep(0.02)

    async def command(self, *arguments: str, role: str = "attribution_owner") -> None:
        """Runs a command of the program on the same database: one that changes the schema as the owner."""
        database_url = self.database_url.replace("user=attribution_serve", f"user={role}")
        await run(
            "env", f"DATABASE_URL={database_url}", f"KEYRING_PATH={self.programs.keys}",
            self.programs.folder / "PostbackServer", *arguments)

    async def ready(self) -> int:
        """The status that `/ready` answers."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.admin_port)
        writer.write(b"GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        status = int((await reader.readuntil(b"\r\n")).split()[1])
        writer.close()
        return status

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal, if it runs."""
        if self.process is not None and self.process.returncode is None:
            os.kill(self.process.pid, number)

    async def end(self, number: signal.Signals, timeout: float = 60) -> int:
        """Sends a signal and returns the exit code."""
        if self.process is None:
            return 0
        self.signal(number)
        return await asyncio.wait_for(self.process.wait(), timeout)
