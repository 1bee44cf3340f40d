"""Sign an ad impression over the Unix socket of the signing server.

    ADMIN_TOKEN=… python3 sign.py /run/adattribution/admin.sock < impression.json

It prints the signed impression. Only the standard library is needed.
"""

import http.client
import json
import os
import socket
import sys


class SigningClient(http.client.HTTPConnection):
    """A connection to the signing server. It stays open; a thread uses one at a time."""

    def __init__(self, path: str, token: str, timeout: float = 1.0) -> None:
        super().__init__("localhost", timeout=timeout)
        self.path = path
        self.token = token

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def sign(self, impression: dict, form: str = "openrtb") -> dict:
        """Returns the signed impression; raises RuntimeError with field and rule if it is refused."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self.request("POST", f"/v1/impressions?format={form}", json.dumps(impression), headers)
        response = self.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {answer}")
        return answer


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: ADMIN_TOKEN=… python3 sign.py SOCKET < impression.json")
    client = SigningClient(sys.argv[1], os.environ["ADMIN_TOKEN"])
    try:
        print(json.dumps(client.sign(json.load(sys.stdin))))
    except RuntimeError as error:
        sys.exit(str(error))
