"""The private Citus cluster of a run: a coordinator and two workers, and what an operator does with its shards."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from database import ROOT, Database, run

SCRIPT = ROOT / "scripts" / "cluster.sh"

# What an operator does with shards: the methods of `Cluster`, and how often one is chosen beside the others.
OPERATIONS = {"move_shard": 10, "split_shard": 5, "rebalance": 2, "drain": 2}
OPERATION_TIMEOUT = 300.0
# What the log of a worker says again and again if a split will never end: an UPDATE came between two steps of the split
# (citusdata/citus#6790, docs/cluster.md). Nothing is lost, since the shard of before is still written.
STUCK_SPLIT = "publisher did not send replica identity column"


class Cluster:
    """A Citus cluster that scripts/cluster.sh makes in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.coordinator = Database(folder / "coordinator")
        self.workers = [Database(folder / "worker-1"), Database(folder / "worker-2")]
        # How many splits were cancelled that would never have ended, and were done again.
        self.stuck_splits = 0

    @property
    def nodes(self) -> list[Database]:
        return [self.coordinator, *self.workers]

    async def start(self) -> None:
        """Starts the nodes and tells them of each other."""
        await run(SCRIPT, "start", self.folder)
        for node in self.nodes:
            await node.start()
            await node.sql("CREATE EXTENSION citus")
        await self.coordinator.sql(f"SELECT citus_set_coordinator_host('{self.coordinator.socket}', 5432)")
        for worker in self.workers:
            await self.coordinator.sql(f"SELECT citus_add_node('{worker.socket}', 5432)")

    def worker_addresses(self, ports: list[int]) -> str:
        """The setting with which servers reach the workers through proxies on these ports."""
        return ",".join(
            f"{worker.socket}:5432=127.0.0.1:{port}" for worker, port in zip(self.workers, ports, strict=True))

    async def destroy(self) -> None:
        await run(SCRIPT, "destroy", self.folder)

    async def operate(self, operation: str, choice: random.Random) -> None:
        """Does one of `OPERATIONS` while the shards are written."""
        await getattr(self, operation)(choice)

    async def move_shard(self, choice: random.Random) -> None:
        """Moves the shard of a lane to the other worker, while it is written."""
        shard, source, target = choice.choice(await self._rows(
            """
            SELECT concat_ws(' ', shardid, source.nodename, target.nodename)
              FROM (SELECT lane, get_shard_id_for_distribution_column('attribution.postback_state', lane) AS shardid
                      FROM attribution.lane WHERE NOT is_closed) AS lane
              JOIN pg_dist_placement USING (shardid)
              JOIN pg_dist_node AS source USING (groupid)
              JOIN pg_dist_node AS target ON target.groupid NOT IN (0, source.groupid)
             ORDER BY lane
            """))
        await self.coordinator.sql(
            f"SELECT citus_move_shard_placement({shard}, '{source}', 5432, '{target}', 5432, 'force_logical')",
            timeout=OPERATION_TIMEOUT)

    async def split_shard(self, choice: random.Random) -> None:
        """Splits the shard of a lane in the middle, while it is written. One half stays without a lane."""
        shard, middle, *nodes = choice.choice(await self._rows(
            """
            SELECT concat_ws(' ', shardid, (shardminvalue::bigint + shardmaxvalue::bigint) / 2,
                             (SELECT string_agg(nodeid::text, ' ' ORDER BY nodeid) FROM pg_dist_node WHERE groupid <> 0))
              FROM (SELECT lane, get_shard_id_for_distribution_column('attribution.postback_state', lane) AS shardid
                      FROM attribution.lane WHERE NOT is_closed) AS lane
              JOIN pg_dist_shard USING (shardid)
             ORDER BY lane
            """))
        # Any half on any worker, so that the lane may move too.
        first, second = choice.choice(nodes), choice.choice(nodes)
        while not await self._has_split(
            f"SELECT citus_split_shard_by_split_points({shard}, ARRAY['{middle}'], ARRAY[{first}, {second}],"
            " 'force_logical')"):
            self.stuck_splits += 1

    async def _has_split(self, statement: str) -> bool:
        """Splits a shard. If the split got stuck, it is cancelled, as an operator does, and can be done again."""
        before = await self._stuck_messages()
        split = asyncio.create_task(self.coordinator.sql(statement, timeout=OPERATION_TIMEOUT))
        while (await asyncio.wait([split], timeout=5))[1]:
            if await self._stuck_messages() > before + 2:
                await self.cancel_operations()
                await asyncio.wait([split])
                await self.clean_up()
                return split.exception() is None
        split.result()
        return True

    async def _stuck_messages(self) -> int:
        return sum([await worker.count_in_log(STUCK_SPLIT) for worker in self.workers])

    async def rebalance(self, choice: random.Random) -> None:
        """Spreads the shards evenly over the workers; after a drain there is something to do."""
        await self._take_back()
        await self.coordinator.sql(
            "SELECT rebalance_table_shards('attribution.postback_state', shard_transfer_mode => 'force_logical')",
            timeout=OPERATION_TIMEOUT)

    async def drain(self, choice: random.Random) -> None:
        """Moves all shards of a worker to the other one."""
        await self._take_back()
        worker = choice.choice(self.workers)
        await self.coordinator.sql(
            f"SELECT citus_drain_node('{worker.socket}', 5432, 'force_logical')", timeout=OPERATION_TIMEOUT)

    async def clean_up(self) -> None:
        """Removes what an operation left behind that was broken off, as far as this is possible yet."""
        await self.coordinator.sql("CALL citus_cleanup_orphaned_resources()", check=False)

    async def cancel_operations(self) -> None:
        """Ends the operations that are under way."""
        await self.coordinator.sql(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND query ~ '^SELECT (citus_(move_shard|split_shard|drain)|rebalance_table)'", check=False)

    async def _take_back(self) -> None:
        """Lets every worker have shards again: a drain takes this away."""
        await self.coordinator.sql(
            "SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true)"
            " FROM pg_dist_node WHERE groupid <> 0 AND NOT shouldhaveshards")

    async def _rows(self, statement: str) -> list[list[str]]:
        return [row.split(" ") for row in await self.coordinator.sql(statement)]
