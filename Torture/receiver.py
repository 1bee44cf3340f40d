#!/usr/bin/env python3
"""receiver.py PORT FILE: takes forwarded postbacks on 127.0.0.1, and appends each request to a file before it answers 200.

A request is a line of JSON. It stays there if the program is killed. After SIGUSR1, until SIGUSR2, the connection of one
request in three is cut: before the request is written, or after it, so that the answer is missing.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import signal
import sys
from pathlib import Path

# More than any postback has with what is added to it.
LARGEST = 100_000


class Receiver:
    """Takes requests of HTTP/1.1."""

    def __init__(self, file: Path) -> None:
        file.touch()
        written = file.read_bytes()
        # A line that is cut off was not answered.
        os.truncate(file, written.rfind(b"\n") + 1)
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND)
        self._is_cutting = False

    async def run(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, self._cut, True)
        loop.add_signal_handler(signal.SIGUSR2, self._cut, False)
        server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=LARGEST)
        await server.serve_forever()

    def _cut(self, is_cutting: bool) -> None:
        self._is_cutting = is_cutting

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answer(reader, writer):
                await writer.drain()
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Takes one request; false if its connection is to be cut."""
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        _, path, _ = lines[0].split(" ")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        body = await reader.readexactly(int(fields["content-length"]))
        is_cut, is_written = False, True
        if self._is_cutting and random.random() < 1 / 3:
            is_cut, is_written = True, random.random() < 1 / 2
        if is_written:
            line = json.dumps({
                "path": path, "id": fields.get("webhook-id"), "timestamp": fields.get("webhook-timestamp"),
                "signature": fields.get("webhook-signature"), "body": base64.b64encode(body).decode(), "is_cut": is_cut})
            os.write(self._file, line.encode() + b"\n")
        if is_cut:
            return False
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        return True


if __name__ == "__main__":
    asyncio.run(Receiver(Path(sys.argv[2])).run(int(sys.argv[1])))
