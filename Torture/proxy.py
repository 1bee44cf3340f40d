"""A TCP proxy between the server and PostgreSQL, which can cut and swallow."""

from __future__ import annotations

import asyncio
import enum
import random
from collections.abc import Callable


class Cut(enum.Enum):
    """Where a connection is cut while a batch commits."""

    BEFORE = "the database never sees the end of the batch"
    AFTER = "the database commits, and its answer is lost"


class Frames:
    """Follows the messages of a PostgreSQL client, to find the end of a batch.

    A batch is a pipeline, which a Sync ends and so commits. Source: PostgreSQL manual, "Message Formats".
    """

    # A pipeline with fewer bytes carries no batch of postbacks.
    SMALLEST_BATCH = 1_500

    def __init__(self) -> None:
        self._buffer = b""
        self._is_started = False
        self._size = 0

    def end_of_batch(self, chunk: bytes) -> int | None:
        """The offset in the chunk of the Sync that ends a batch."""
        before = len(self._buffer)
        self._buffer += chunk
        position = 0
        found = None
        while True:
            header = 5 if self._is_started else 4
            if len(self._buffer) < position + header:
                break
            length = int.from_bytes(self._buffer[position + header - 4:position + header], "big") + header - 4
            if len(self._buffer) < position + length:
                break
            if self._is_started:
                self._size += length
                if self._buffer[position:position + 1] == b"S":
                    if self._size >= self.SMALLEST_BATCH:
                        found = position - before
                    self._size = 0
            self._is_started = True
            position += length
        self._buffer = self._buffer[position:]
        return found


class Proxy:
    """Listens on a port and connects to the socket of a database."""

    def __init__(self, target: Callable[[], str], choice: random.Random) -> None:
        self._target = target
        self._choice = choice
        self._server: asyncio.Server | None = None
        self._links: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._swallowing: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.cut: Cut | None = None
        self.cuts = 0
        self.is_blackhole = False

    async def start(self) -> int:
        """Starts to listen; returns the port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for client, database in self._links:
            client.transport.abort()
            database.transport.abort()
        for task in self._tasks:
            task.cancel()

    def blackhole(self) -> None:
        """Forwards nothing more on any connection and closes none of them, until `is_blackhole` is false.

        Those that are there now stay dead.
        """
        self.is_blackhole = True
        for client, database in self._links:
            self._swallowing.add(client)
            self._swallowing.add(database)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_blackhole:
            self._swallowing.add(writer)
            while await reader.read(65_536):
                pass
            return
        try:
            from_database, to_database = await asyncio.open_unix_connection(self._target())
        except OSError:
            writer.transport.abort()
            return
        link = (writer, to_database)
        self._links.add(link)
        up = asyncio.create_task(self._forward(reader, to_database, link, Frames()))
        down = asyncio.create_task(self._forward(from_database, writer, link, None))
        self._tasks |= {up, down}
        await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
        if writer in self._swallowing:
            # A dead line tells neither side of the other's end.
            await asyncio.wait({up, down})
        for side in link:
            side.transport.abort()
        # Both end now: neither has anything to read any more.
        await asyncio.wait({up, down}, timeout=5)
        self._tasks -= {up, down}
        self._links.discard(link)
        self._swallowing -= set(link)

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
        link: tuple[asyncio.StreamWriter, asyncio.StreamWriter], frames: Frames | None,
    ) -> None:
        try:
            while chunk := await reader.read(262_144):
                if writer in self._swallowing:
                    continue
                end = frames.end_of_batch(chunk) if frames else None
                if end is not None and self.cut and self._choice.random() < 0.5:
                    self.cuts += 1
                    if self.cut is Cut.BEFORE:
                        writer.write(chunk[:max(end, 0)])
                    else:
                        self._swallowing.add(link[0])
                        writer.write(chunk)
                    await writer.drain()
                    # Time for the database to commit, or to see that nothing comes.
                    await asyncio.sleep(0.02 + 0.1 * self._choice.random())
                    self._swallowing.discard(link[0])
                    return
                writer.write(chunk)
                await writer.drain()
        except (OSError, asyncio.CancelledError):
            return
