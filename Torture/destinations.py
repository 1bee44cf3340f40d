"""The destinations of a run, and the keys that sign what they get."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from database import run
from server import Programs


@dataclass(frozen=True)
class Destination:
    """A destination, and what its receiver must get."""

    name: str
    only_winning: bool
    # The member that is added to each body.
    added: str | None = None

    def document(self, port: int) -> dict[str, object]:
        when: dict[str, object] = {"environment": ["test"]}
        if self.only_winning:
            when["did-win"] = True
        add = {"body": "raw"} if self.added is None else {"body": "enriched", "add": {self.added: "{transaction-id}"}}
        return {
            "name": self.name, "when": when, "method": "POST", "url": f"http://127.0.0.1:{port}/{self.name}",
            "content-type": "application/json", "allow-http": True, "sign": ["torture-hmac", "torture-ed25519"],
            # Soon again, and more often than a receiver is away.
            "retry": ["2s"] * 20, "limits": {"timeout-seconds": 5},
        } | add

    def original(self, body: bytes) -> bytes:
        """The body as it was before the member was added."""
        if self.added is None:
            return body
        json.loads(body)
        original, count = re.subn(rb',"%s":"[^"]*"(?=})' % self.added.encode(), b"", body)
        if count != 1:
            raise ValueError(f"{count} members are called {self.added}")
        return original


DESTINATIONS = [Destination("every", False), Destination("winning", True, "forwarded-transaction-id")]


@dataclass
class Keys:
    """Two keys that sign each request, made for the run, and checked by code that is not ours."""

    secret: bytes
    public: Path

    @staticmethod
    async def make(programs: Programs, scratch: Path) -> Keys:
        private, public = scratch / "webhook.pem", scratch / "webhook.pub.pem"
        await run("openssl", "genpkey", "-algorithm", "ed25519", "-out", private)
        await run("openssl", "pkey", "-in", private, "-pubout", "-out", public)
        der = subprocess.run(
            ["openssl", "pkey", "-in", private, "-outform", "DER"], check=True, capture_output=True).stdout
        secret = os.urandom(32)
        folder = programs.keys / "secrets"
        folder.mkdir(mode=0o700)
        # Of Ed25519 the last bytes are the seed (RFC 8410).
        for name, text in [("hmac", b"whsec_" + base64.b64encode(secret)), ("ed25519", b"whsk_" + base64.b64encode(der[-32:]))]:
            file = folder / f"torture-{name}"
            file.touch(mode=0o600)
            file.write_bytes(text)
        return Keys(secret, public)

    def verifies(self, signed: bytes, signatures: str) -> bool:
        """Whether one of the signatures is right, by HMAC-SHA256."""
        right = "v1," + base64.b64encode(hmac.new(self.secret, signed, hashlib.sha256).digest()).decode()
        return right in signatures.split(" ")

    async def verifies_ed25519(self, signed: bytes, signatures: str, scratch: Path) -> bool:
        """Whether the one signature of Ed25519 is right."""
        found = [text[4:] for text in signatures.split(" ") if text.startswith("v1a,")]
        if len(found) != 1:
            return False
        (scratch / "webhook.signed").write_bytes(signed)
        (scratch / "webhook.signature").write_bytes(base64.b64decode(found[0]))
        said = await run(
            "openssl", "pkeyutl", "-verify", "-pubin", "-inkey", self.public, "-rawin", "-in", scratch / "webhook.signed",
            "-sigfile", scratch / "webhook.signature", check=False)
        return "Success" in said
