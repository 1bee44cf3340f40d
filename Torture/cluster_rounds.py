"""What is done to a Citus cluster, one function for each kind of round; see rounds.py."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable

import rounds
from cluster import Cluster
from rounds import Stage


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
        await stage.pause(0.05, 0.5)


async def shards_moved(stage: Stage) -> None:
    stage.spread_new()
    for _ in range(stage.changes):
        await cluster(stage).move_shard(stage.choice)


async def shards_split(stage: Stage) -> None:
    stage.spread_new()
    for _ in range(min(stage.changes, 2)):
        await cluster(stage).split_shard(stage.choice)


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


KINDS: dict[str, Callable[[Stage], Awaitable[None]]] = {
    kind: rounds.KINDS[kind] for kind in [
        "server killed", "server terminated (SIGTERM)", "two servers, one killed", "COMMIT lost", "COMMIT unanswered",
        "line dead (blackhole)"]
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
}
