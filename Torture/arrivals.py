"""What destinations got, compared with the log: every event, unchanged, signed and in order."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from database import Database
from destinations import DESTINATIONS, Destination, Keys

# How many events a server has sent beyond the place that is stored; whoever sends after it repeats no more.
WINDOW = 500
# How many of them are under way at most; one that was when a server was killed may be sent again after later ones.
IN_FLIGHT = 32
# How long all may take to arrive: a lease ends, and a circuit breaker tries again after a minute.
PATIENCE = 180.0
# The signatures of so many requests of a check are verified by a program each.
ED25519_SAMPLE = 5

# The place and the postback of each event that passes the filters, and the digest of its body.
EVENTS = """
    SELECT concat_ws(' ', log.lane, log.position, log.ordinal, log.transaction_id, log.sequence_index, log.did_win,
                     encode(sha256(convert_to(body.payload, 'UTF8')), 'hex'))
      FROM attribution.postback_log AS log
      JOIN attribution.postback_body AS body
           ON body.lane = log.lane AND body.position = log.position AND body.ordinal = log.ordinal
     WHERE log.event < 3
"""


@dataclass(frozen=True)
class Event:
    """An event of the log that destinations get."""

    place: tuple[int, int, int]
    postback: tuple[str, str]
    did_win: bool
    digest: str

    @staticmethod
    def read(row: str) -> Event:
        lane, position, ordinal, transaction, index, did_win, digest = row.split(" ")
        return Event((int(lane), int(position), int(ordinal)), (transaction, index), did_win == "t", digest)

    @property
    def id(self) -> str:
        return "pb_" + "-".join(map(str, self.place))


@dataclass
class Arrived:
    """What a destination has got so far."""

    destination: Destination
    # What was written and answered.
    answered: set[str] = field(default_factory=set)
    # What was written, also if the answer was cut off.
    written: set[str] = field(default_factory=set)
    # The last event of each postback.
    last: dict[tuple[str, str], tuple[int, int, int]] = field(default_factory=dict)
    # Since all had arrived for the last time: what was answered again, what came after a later event of its postback, and the
    # fence of that time.
    repeated: int = 0
    late: int = 0
    fence: int = 0
    # The fence at the last check.
    seen_fence: int = 0

    def take(self, event: Event, is_answered: bool) -> bool:
        """Notes a request; returns whether it was answered before."""
        is_again = is_answered and event.id in self.answered
        self.repeated += is_again
        if event.id not in self.written:
            last = self.last.get(event.postback, event.place)
            self.late += event.place < last
            self.last[event.postback] = max(event.place, last)
        self.written.add(event.id)
        if is_answered:
            self.answered.add(event.id)
        return is_again

    def missing(self, events: Iterable[Event]) -> int:
        """How many of the events that pass the filter were not answered yet."""
        return sum(
            event.did_win >= self.destination.only_winning and event.id not in self.answered for event in events)


@dataclass
class Check:
    """What a check found."""

    received: int = 0
    repeated: int = 0
    missing: int = 0
    # How often a server began to send for a destination.
    beginnings: int = 0
    # In words.
    failures: list[str] = field(default_factory=list)


class Arrivals:
    """The file that a receiver writes."""

    def __init__(self, file: Path, keys: Keys, scratch: Path) -> None:
        self._file = file
        self._keys = keys
        self._scratch = scratch
        self._offset = 0
        self._arrived = {destination.name: Arrived(destination) for destination in DESTINATIONS}
        # What clients have delivered.
        self._delivered: set[str] = set()
        # The attempts that had failed when all had arrived for the last time.
        self._failed = 0
        self.received = 0

    def deliver(self, bodies: list[bytes]) -> None:
        """Notes what clients will deliver."""
        self._delivered.update(hashlib.sha256(body).hexdigest() for body in bodies)

    async def check(self, database: Database, fences: Callable[[], Awaitable[Mapping[str, int]]], waits: bool) -> Check:
        """Compares what has arrived since the last check with the log.

        Without waiting, what is under way may be missing. Whoever begins to send for a destination may repeat what was sent
        before, and its fence counts these beginnings: after a kill, a take-over, or a failure of the database.
        """
        found = Check()
        events = {event.id: event for event in map(Event.read, await database.sql(EVENTS))}
        sample = ED25519_SAMPLE
        deadline = time.monotonic() + PATIENCE
        while True:
            for receipt in self._read():
                found.received += 1
                arrived, event = self._arrived[receipt["path"][1:]], events.get(receipt["id"])
                if event is None:
                    found.failures.append(f"{receipt['path']} got {receipt['id']}, which is no event that it should get")
                    continue
                await self._check_bytes(arrived.destination, receipt, event, sample > 0, found)
                sample -= 1
                found.repeated += arrived.take(event, not receipt["is_cut"])
            missing = {name: arrived.missing(events.values()) for name, arrived in self._arrived.items()}
            if not waits or not any(missing.values()) or time.monotonic() > deadline:
                break
            await asyncio.sleep(0.5)
        if waits:
            found.missing = sum(missing.values())
            found.failures += [f"{name} lacks {count} events" for name, count in missing.items() if count]
        self.received += found.received
        await self._check_bounds(database, await fences(), waits, found)
        return found

    async def _check_bounds(
        self, database: Database, fences: Mapping[str, int], has_waited: bool, found: Check
    ) -> None:
        """What may be repeated, and what may be late, since all had arrived for the last time."""
        failed = int((await database.sql("SELECT coalesce(sum(failed), 0) FROM attribution.delivery_daily"))[0])
        # An attempt that failed may have arrived all the same.
        allowed_late = newly_failed = failed - self._failed
        for name, arrived in self._arrived.items():
            found.beginnings += fences[name] - arrived.seen_fence
            arrived.seen_fence = fences[name]
            beginnings = fences[name] - arrived.fence
            allowed_late += IN_FLIGHT * beginnings
            if arrived.repeated > (allowed := WINDOW * beginnings + newly_failed):
                found.failures.append(f"{name} got {arrived.repeated} events again; {allowed} may be")
        if (late := sum(arrived.late for arrived in self._arrived.values())) > allowed_late:
            found.failures.append(f"{late} events came after a later one of their postback; {allowed_late} may have")
        if has_waited:
            for name, arrived in self._arrived.items():
                arrived.repeated, arrived.late, arrived.fence = 0, 0, fences[name]
            self._failed = failed

    async def _check_bytes(
        self, destination: Destination, receipt: dict[str, str], event: Event, with_ed25519: bool, found: Check
    ) -> None:
        body = base64.b64decode(receipt["body"])
        try:
            digest = hashlib.sha256(destination.original(body)).hexdigest()
        except ValueError as error:
            found.failures.append(f"{destination.name} got a body of {event.id} that is not whole: {error}")
            return
        if digest != event.digest or digest not in self._delivered:
            found.failures.append(f"{destination.name} got another body of {event.id} than was delivered")
        if destination.only_winning and not event.did_win:
            found.failures.append(f"{destination.name} got {event.id}, which did not win")
        signed = f"{event.id}.{receipt['timestamp']}.".encode() + body
        if not self._keys.verifies(signed, receipt["signature"] or ""):
            found.failures.append(f"the HMAC of {event.id} is wrong")
        if with_ed25519 and not await self._keys.verifies_ed25519(signed, receipt["signature"] or "", self._scratch):
            found.failures.append(f"the signature of {event.id} by Ed25519 is wrong")

    def _read(self) -> list[dict[str, str]]:
        """The requests that are new in the file; a line that is not whole yet is left for the next time."""
        with self._file.open("rb") as file:
            file.seek(self._offset)
            lines = file.read()
        lines = lines[:lines.rfind(b"\n") + 1]
        self._offset += len(lines)
        return [json.loads(line) for line in lines.splitlines()]
