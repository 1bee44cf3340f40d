"""Verifies notifications of the App Store with Apple's library for Python, and prints how many a second.

    .local/python/bin/python3 Benchmarks/app-store-python.py FILE --root store-root.crt --bundle-id com.example.game

FILE has a body of version 2 a line, of the sandbox and of one app. Of each notification everything that is signed is
verified and decoded, without a network: itself, its transaction and its renewal. The beginning of the file is verified
once before the time counts. The library is that of Tests/requirements.txt; one thread uses it.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding


def verify(verifier: SignedDataVerifier, body: str) -> None:
    """Raises VerificationException if anything of a notification does not verify."""
    data = verifier.verify_and_decode_notification(json.loads(body)["signedPayload"]).data
    if data and data.signedTransactionInfo:
        verifier.verify_and_decode_signed_transaction(data.signedTransactionInfo)
    if data and data.signedRenewalInfo:
        verifier.verify_and_decode_renewal_info(data.signedRenewalInfo)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="bodies, one a line")
    parser.add_argument("--root", type=Path, required=True, help="the test root, in PEM")
    parser.add_argument("--bundle-id", required=True, help="the app that all are of")
    parser.add_argument("--seconds", type=float, default=1, help="how long to measure")
    options = parser.parse_args()
    root = x509.load_pem_x509_certificate(options.root.read_bytes()).public_bytes(Encoding.DER)
    verifier = SignedDataVerifier([root], False, Environment.SANDBOX, options.bundle_id)
    bodies = options.file.read_text(encoding="utf-8").splitlines()
    for body in bodies[:50]:
        verify(verifier, body)
    count = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < options.seconds:
        verify(verifier, bodies[count % len(bodies)])
        count += 1
    print(f"{count / elapsed:.1f}")


if __name__ == "__main__":
    main()
