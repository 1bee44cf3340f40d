"""Verify a request that PostbackServer forwarded: Standard Webhooks 1.0.0, HMAC-SHA256 or Ed25519.

    python3 verify_webhook.py ID TIMESTAMP SIGNATURES KEY… < body

ID, TIMESTAMP and SIGNATURES are the headers webhook-id, webhook-timestamp and webhook-signature, KEY is whsec_… or
whpk_…. Give two keys while one is rotated. Ed25519 needs `cryptography` from PyPI.
"""

import hmac
import sys
import time
from base64 import b64decode


def fits(key: str, version: str, signature: str, content: bytes) -> bool:
    kind, _, text = key.partition("_")
    if (kind, version) == ("whsec", "v1"):
        return hmac.compare_digest(hmac.digest(b64decode(text), content, "sha256"), b64decode(signature))
    if (kind, version) == ("whpk", "v1a"):
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        try:
            return Ed25519PublicKey.from_public_bytes(b64decode(text)).verify(b64decode(signature), content) is None
        except InvalidSignature:
            return False
    return False


def is_genuine(body: bytes, event: str, timestamp: str, signatures: str, keys: list[str]) -> bool:
    """Whether one signature fits one key, and the time is at most five minutes from ours; ValueError if a header is garbage."""
    if "." in event or abs(time.time() - int(timestamp)) > 300:
        return False
    content = f"{event}.{timestamp}.".encode() + body
    parts = [signature.partition(",") for signature in signatures.split()]
    return any(fits(key, version, text, content) for version, _, text in parts for key in keys)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit("usage: python3 verify_webhook.py ID TIMESTAMP SIGNATURES KEY… < body")
    sys.exit(0 if is_genuine(sys.stdin.buffer.read(), *sys.argv[1:4], sys.argv[4:]) else "not genuine")
