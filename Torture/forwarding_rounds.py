"""What is done to destinations: to their receiver, and to the server that sends for them; see rounds.py."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable

from destinations import DESTINATIONS
from forwarding import NOBODY, Forwarding, Lease
from rounds import Stage


def forwarding(stage: Stage) -> Forwarding:
    if stage.forwarding is None:
        raise AssertionError("this round needs destinations")
    return stage.forwarding


async def receiver_killed(stage: Stage) -> None:
    """The receiver of both destinations is away; then it is back, and an operator has servers try at once."""
    stage.spread_new()
    await forwarding(stage).kill_receiver()
    await stage.pause(0.5, 3)
    await forwarding(stage).start_receiver()
    await forwarding(stage).begin_again(stage.database)


async def receiver_cut(stage: Stage) -> None:
    """Connections to the receiver are cut before it has the request, or before it has answered."""
    stage.spread_new()
    forwarding(stage).cut(True)
    await stage.pause(1, 3)
    forwarding(stage).cut(False)


async def leader_stopped(stage: Stage) -> None:
    """Of two servers, each sends for a destination. One is stopped, as if its machine had hung, and goes on when the other one
    has taken over; clients deliver to the other one."""
    assert stage.load is not None
    before = await forwarding(stage).leases(stage.database)
    # Renewed: not the lease of a server that was killed.
    alone = await leaders_of(stage, lambda leases: len(leases) == len(DESTINATIONS) and all(
        lease.leader != NOBODY and (name not in before or lease.until != before[name].until)
        for name, lease in leases.items()) and len({lease.leader for lease in leases.values()}) == 1)
    stage.load.pace(stage.rate / 2)
    second = stage.servers[0].twin(stage.scratch / "second.log")
    await second.start()
    try:
        await leaders_of(
            stage, lambda leases: len({lease.leader for lease in leases.values()} - {NOBODY}) == len(DESTINATIONS))
        second.signal(signal.SIGSTOP)
        await leaders_of(stage, lambda leases: {lease.leader for lease in leases.values()} == alone)
        await stage.pause(0, 3)
        second.signal(signal.SIGCONT)
        await stage.pause(1, 3)
    finally:
        await second.end(signal.SIGKILL)


async def leaders_of(stage: Stage, condition: Callable[[dict[str, Lease]], bool]) -> set[str]:
    """Waits until the servers that send are as they should be, and returns them."""
    deadline = time.monotonic() + 180
    while not condition(leases := await forwarding(stage).leases(stage.database)):
        if time.monotonic() > deadline:
            raise AssertionError(f"after 180 s the leases are not as they should be: {leases}")
        await asyncio.sleep(0.1)
    return {lease.leader for lease in leases.values()}


KINDS: dict[str, Callable[[Stage], Awaitable[None]]] = {
    "receiver killed": receiver_killed,
    "receiver's lines cut": receiver_cut,
    "leader stopped (SIGSTOP), replaced": leader_stopped,
}

# After these, all must have arrived before the next one. What is missing after others, a later one of these shows, or the end:
# it takes ten seconds until another server sends in the place of one that was killed.
AWAITED = {
    "server killed", "two servers, one killed", "PostgreSQL killed", "COMMIT unanswered", "coordinator killed",
    "all nodes killed", *KINDS,
}
