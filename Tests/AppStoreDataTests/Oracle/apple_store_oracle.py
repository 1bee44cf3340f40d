"""Apple's verdicts on signed data, for the tests: app-store-server-library of PyPI, without a network.

Standard input: {"roots": [DER as base64], "strict": true or false, "texts": [JWS as base64]}.
Standard output: a JSON array that says for each text whether chain and signature verify. App and environment are not
looked at. `strict` is what the library sets by itself; Apple's tests turn it off for Apple's test root.
"""
import base64
import json
import sys

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

request = json.load(sys.stdin)
roots = [base64.b64decode(root) for root in request["roots"]]
verifier = SignedDataVerifier(roots, False, Environment.SANDBOX, "com.example")
verifier._chain_verifier.enable_strict_checks = request["strict"]


def verifies(text):
    try:
        verifier._decode_signed_object(text)
        return True
    except VerificationException:
        return False


print(json.dumps([verifies(base64.b64decode(text)) for text in request["texts"]]))
