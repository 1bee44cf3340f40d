"""Clients that deliver postbacks and remember what was acknowledged."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

PATH = "/.well-known/skadnetwork/report-attribution/"
# What no answer may be later than, and how long a client waits to see how late it is.
LATEST = 15.0
PATIENCE = 40.0
# While the rate of new postbacks is limited: the longest pause of a client after a failure, or a repeated postback.
PAUSE = 0.5


@dataclass
class Postback:
    """One body, and what counting it would give."""

    body: bytes
    key: str
    value: int

    @staticmethod
    def read(body: bytes) -> Postback:
        fields = json.loads(body)
        return Postback(body, fields["transaction-id"].lower(), int(fields.get("conversion-value", -1)))


@dataclass(frozen=True)
class Comparison:
    """What is stored beside what was acknowledged."""

    # Acknowledged, and not stored or stored with a lower value.
    lost: int
    # Stored more than once.
    doubled: int
    # Stored with a value that nobody offered.
    made_up: int
    # The value of each key.
    stored: Mapping[str, int]


# The rows that `Book.compare` takes.
STORED = "SELECT concat_ws(' ', transaction_id, coalesce(conversion_value, -1)) FROM attribution.postback"


@dataclass
class Book:
    """All that was offered and acknowledged in a run."""

    offered: dict[str, int] = field(default_factory=dict)
    acknowledged: dict[str, int] = field(default_factory=dict)
    answers: Counter[int] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    latest: float = 0

    def offer(self, postback: Postback) -> None:
        self.offered[postback.key] = max(self.offered.get(postback.key, -1), postback.value)

    def acknowledge(self, postback: Postback) -> None:
        self.acknowledged[postback.key] = max(self.acknowledged.get(postback.key, -1), postback.value)

    def compare(self, rows: list[str], acknowledged: Mapping[str, int] | None = None) -> Comparison:
        """Compares the rows of `STORED` with what was acknowledged by now, or with what had been by an earlier moment."""
        stored: dict[str, int] = {}
        doubled = 0
        for row in rows:
            key, value = row.split(" ")
            doubled += key in stored
            stored[key] = int(value)
        if acknowledged is None:
            acknowledged = self.acknowledged
        return Comparison(
            sum(stored.get(key, -2) < value for key, value in acknowledged.items()), doubled,
            sum(value > self.offered.get(key, -2) for key, value in stored.items()), stored)


class Load:
    """Some clients with a connection each, which deliver until all is acknowledged."""

    def __init__(
        self, ports: list[int], postbacks: list[Postback], book: Book, choice: random.Random, path: str = PATH
    ) -> None:
        self.ports = ports
        self._path = path
        self._waiting = deque(postbacks)
        self._again: list[Postback] = []
        self._book = book
        self._choice = choice
        self._open = self._count = len(postbacks)
        self.share_of_new = 0.3
        # New postbacks in a second, while something slow is done; None for no limit.
        self._rate: float | None = None
        self._rate_since = (0.0, 0)
        self._is_ending = False
        self._may_go = asyncio.Event()
        self._may_go.set()
        self._tasks: list[asyncio.Task[None]] = []
        self.first_after: float | None = None
        self._mark: float | None = None
        self.round_latest = 0.0
        self.refused = 0
        self.unanswered = 0
        for postback in postbacks:
            book.offer(postback)

    def start(self, clients: int) -> None:
        self._tasks = [asyncio.create_task(self._client(number)) for number in range(clients)]

    @property
    def open(self) -> int:
        """How many postbacks were not acknowledged yet."""
        return self._open

    @property
    def acknowledged(self) -> float:
        """The share of all postbacks that was acknowledged."""
        return 1 - self._open / self._count

    def hold(self) -> None:
        """Delivers nothing yet."""
        self._may_go.clear()

    def resume(self) -> None:
        self._may_go.set()

    def start_again(self, clients: int) -> None:
        """After `finish`, for what is left."""
        self._is_ending = False
        self.resume()
        self.mark()
        self.start(clients)

    def pace(self, rate: float) -> None:
        """From now on, delivers so many new postbacks in a second."""
        self.share_of_new = 1
        self._rate, self._rate_since = rate, (time.monotonic(), len(self._waiting))

    def _may_be_new(self) -> bool:
        if self._rate is None:
            return self._choice.random() < self.share_of_new
        since, waiting = self._rate_since
        return waiting - len(self._waiting) < self._rate * (time.monotonic() - since)

    def mark(self) -> None:
        """From now on, the first acknowledgement is waited for: all is back that was taken away."""
        self._mark, self.first_after = time.monotonic(), None

    @property
    def recovery(self) -> float:
        """The seconds from the mark to the first acknowledgement of a request that was sent after it."""
        return (self.first_after or time.monotonic()) - (self._mark or time.monotonic())

    async def finish(self, timeout: float) -> int:
        """Delivers all that is not acknowledged; returns how many postbacks are left after the time-out."""
        deadline = time.monotonic() + timeout
        self.share_of_new, self._rate = 1, None
        while (self._open > 0 or self.first_after is None) and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        self._is_ending = True
        self.resume()
        await asyncio.wait(self._tasks, timeout=PATIENCE + 5)
        for task in self._tasks:
            task.cancel()
        return self._open

    def _next(self) -> tuple[Postback, bool]:
        # Few new ones at a time, so that some are left when the database is hurt. The others were acknowledged before
        # and must not be counted again.
        if self._waiting and (not self._again or self._may_be_new()):
            return self._waiting.popleft(), True
        return self._choice.choice(self._again), False

    async def _client(self, number: int) -> None:
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        while not self._is_ending:
            await self._may_go.wait()
            if not self._waiting and not self._again:
                await asyncio.sleep(0.01)
                continue
            postback, is_new = self._next()
            start = time.monotonic()
            status = None
            try:
                if streams is None:
                    port = self.ports[number % len(self.ports)]
                    streams = await asyncio.open_connection("127.0.0.1", port)
                self._book.requests += 1
                async with asyncio.timeout(PATIENCE):
                    status, is_last = await self._deliver(streams, postback.body)
                # Now and then a new connection, so that clients find a second server.
                if is_last or self._choice.random() < 0.01:
                    streams[1].close()
                    streams = None
            except TimeoutError:
                self._book.wrong["no answer at all"] += 1
            except (OSError, EOFError, ValueError):
                pass
            elapsed = time.monotonic() - start
            if status is None:
                if streams is not None:
                    streams[1].transport.abort()
                streams = None
                self.unanswered += 1
            else:
                self.refused += status != 200
                self._book.answers[status] += 1
                self._book.latest = max(self._book.latest, elapsed)
                self.round_latest = max(self.round_latest, elapsed)
            self._settle(postback, is_new, status, start)
            if self._rate is not None and (status != 200 or not is_new):
                await asyncio.sleep(self._choice.uniform(0, PAUSE))
            elif status != 200:
                await asyncio.sleep(0.05)

    def _settle(self, postback: Postback, is_new: bool, status: int | None, start: float) -> None:
        if status == 200:
            self._book.acknowledge(postback)
            if self._mark is not None and self.first_after is None and start >= self._mark:
                self.first_after = time.monotonic()
            if is_new:
                self._again.append(postback)
                self._open -= 1
        else:
            if status not in (None, 500, 503):
                self._book.wrong[f"answer {status}"] += 1
            if is_new:
                self._waiting.append(postback)

    async def _deliver(
        self, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], body: bytes
    ) -> tuple[int, bool]:
        reader, writer = streams
        writer.write(
            f"POST {self._path} HTTP/1.1\r\nHost: torture\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        await reader.readexactly(int(fields.get("content-length", "0")))
        return int(head[0].split()[1]), fields.get("connection", "").lower() == "close"
