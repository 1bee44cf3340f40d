"""What is done to a Citus cluster, one function for each kind of round; see rounds.py."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable

import rounds
from cluster import OPERATIONS, Cluster
from database import Database
from rounds import Stage
from server import Server


def cluster(stage: Stage) -> Cluster:
    if stage.cluster is None:
        raise AssertionError("this round needs a cluster")
    return stage.cluster


async def worker_killed(stage: Stage) -> None:
    worker = stage.choice.choice(cluster(stage).workers)
    await worker.command("kill")
    await stage.pause(0, 3)
    await worker.start()


async def server_started_without_worker(stage: Stage) -> None:
    """A server starts while a worker is down, and counts for the other one."""
    worker, server = stage.choice.choice(cluster(stage).workers), stage.choice.choice(stage.servers)
    await asyncio.gather(worker.command("kill"), server.end(signal.SIGKILL))
    await server.start()
    await stage.pause(1, 4)
    await worker.start()


async def worker_stopped(stage: Stage) -> None:
    """All processes of a worker are stopped and go on later, as if the machine had hung."""
    worker = stage.choice.choice(cluster(stage).workers)
    worker.signal(signal.SIGSTOP)
    await stage.pause(2, 8)
    worker.signal(signal.SIGCONT)


async def all_killed(stage: Stage) -> None:
    """Every node loses its power at the same time."""
    nodes = cluster(stage).nodes
    await asyncio.gather(*(node.command("kill") for node in nodes))
    await stage.pause(0, 1)
    for node in stage.choice.sample(nodes, len(nodes)):
        await node.start()


async def backends_terminated(stage: Stage) -> None:
    """Sessions are ended on one node after the other."""
    for _ in range(stage.choice.randint(2, 6)):
        await rounds.terminate_backends(stage.choice.choice(cluster(stage).nodes))
        await stage.compare("sessions were terminated")


async def shards_moved(stage: Stage) -> None:
    stage.spread_new()
    for _ in range(stage.changes):
        await cluster(stage).move_shard(stage.choice)
        await stage.compare("a move")


async def shards_split(stage: Stage) -> None:
    stage.spread_new()
    for _ in range(min(stage.changes, 2)):
        await cluster(stage).split_shard(stage.choice)
        await stage.compare("a split")


async def shards_moved_two_servers(stage: Stage) -> None:
    """Shards are moved while a second server writes, and one of the two is killed."""
    moves = asyncio.create_task(shards_moved(stage))
    try:
        await rounds.two_servers(stage)
    finally:
        await moves


async def node_killed_in_move(stage: Stage) -> None:
    """A node is killed while a shard moves. The move fails, and nothing else."""
    stage.spread_new()
    move = asyncio.create_task(cluster(stage).move_shard(stage.choice))
    node = stage.choice.choice(cluster(stage).nodes)
    await stage.pause(0.1, 3)
    await node.command("kill")
    await asyncio.gather(move, return_exceptions=True)
    await stage.pause(0, 1)
    await node.start()


async def operations_with_kills(stage: Stage) -> None:
    """Moves, splits, rebalances and drains, two servers, and in each a node or a server is killed at a random instant."""
    assert stage.load is not None
    second = stage.servers[0].twin(stage.scratch / "second.log")
    await second.start()
    stage.servers.append(second)
    stage.load.ports.append(second.port)
    stage.load.pace(stage.rate)
    # How long an operation takes without a kill, at most; a kill is somewhere in this time.
    longest = {operation: 3.0 for operation in OPERATIONS}
    try:
        done = refused = 0
        while done < stage.changes:
            operation = stage.choice.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
            victim = stage.choice.choice([*cluster(stage).nodes, *stage.servers])
            instant = stage.choice.uniform(0, longest[operation])
            start = time.monotonic()
            task = asyncio.create_task(cluster(stage).operate(operation, stage.choice))
            _, running = await asyncio.wait([task], timeout=instant)
            if not running and task.exception() is not None:
                # What the last kill left behind is in the way. It is not an operation.
                stage.operations["refused"] += 1
                if (refused := refused + 1) > 60:
                    raise task.exception() or AssertionError("refused")
                await cluster(stage).clean_up()
                await asyncio.sleep(1)
                continue
            await kill(victim)
            await stage.pause(0, 2)
            await victim.start()
            # Some wait for ever for the node that was killed, also when it is back. An operator ends them.
            while (await asyncio.wait([task], timeout=20))[1]:
                await cluster(stage).cancel_operations()
            if isinstance(victim, Server) and task.exception() is None:
                longest[operation] = time.monotonic() - start
            done, refused = done + 1, 0
            outcome = "succeeded" if task.exception() is None else "failed"
            stage.operations[f"{operation} {outcome}"] += 1
            name = "a server" if isinstance(victim, Server) else victim.folder.name
            await stage.compare(f"{operation} that {outcome}, {name} killed after {instant:.2f} s")
    finally:
        stage.load.ports.remove(second.port)
        stage.servers.remove(second)
        await second.end(signal.SIGKILL)


async def kill(victim: Database | Server) -> None:
    if isinstance(victim, Server):
        await victim.end(signal.SIGKILL)
    else:
        await victim.command("kill")


KINDS: dict[str, Callable[[Stage], Awaitable[None]]] = {
    kind: rounds.KINDS[kind] for kind in [
        "server killed", "server terminated (SIGTERM)", "two servers, one killed", rounds.NEW_SOURCES, "COMMIT lost",
        "COMMIT unanswered", "line dead (blackhole)"]
} | {
    "coordinator killed": rounds.postgres_killed,
    "worker killed": worker_killed,
    "server started without a worker": server_started_without_worker,
    "worker stopped (SIGSTOP)": worker_stopped,
    "all nodes killed": all_killed,
    "sessions of nodes terminated": backends_terminated,
    "shards moved": shards_moved,
    "shards split": shards_split,
    "shards moved, two servers, one killed": shards_moved_two_servers,
    "node killed while a shard moves": node_killed_in_move,
    "operations, each with a kill": operations_with_kills,
}
