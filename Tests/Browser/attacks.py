"""What a page of another origin tries through a signed-in browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page

from findings import Findings


class _Attacker(BaseHTTPRequestHandler):
    pages: dict[str, str] = {}

    def do_GET(self) -> None:
        body = self.pages.get(urlsplit(self.path).path, "").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


@contextmanager
def attacker(pages: dict[str, str]) -> Iterator[int]:
    """A server of pages on a port of its own."""
    handler = type("Attacker", (_Attacker,), {"pages": pages})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def check_attacks(context: BrowserContext, base: str, actions: list[str], findings: Findings) -> None:
    """Tries each action, a frame and a read: from another port of the host, and from another site."""
    pages = {"/frame": f"<iframe src='{base}/'></iframe>", "/read": "<h1>read</h1>"}
    for number, action in enumerate(actions):
        for token in ("", "<input name='csrf' value='guessed'>"):
            pages[f"/post/{number}/{len(token)}"] = (
                f"<form method='post' action='{escape(action)}'>{token}</form>"
                "<script>document.forms[0].submit()</script>")
    page = context.new_page()
    with attacker(pages) as port:
        # Cookies don't know ports: to 127.0.0.1 the browser sends them in spite of SameSite.
        for host in ("127.0.0.1", "localhost"):
            origin = f"http://{host}:{port}"
            for path in pages:
                if path.startswith("/post"):
                    _post(page, origin + path, actions[int(path.split("/")[2])], findings)
            _frame(page, origin, findings)
            _read(page, origin, base, findings)


def _post(page: Page, address: str, action: str, findings: Findings) -> None:
    with page.expect_response(lambda answer: answer.request.method == "POST") as response:
        page.goto(address, wait_until="commit")
    answer = response.value
    # Without a cookie it is nobody: then the answer leads to the sign-in.
    refused = answer.status == 403 or answer.headers.get("location", "").startswith("/sign-in")
    findings.expect(refused, f"{address} posts to {action}: answered {answer.status}")
    findings.expect(answer.header_value("set-cookie") is None, f"{address} posts to {action}: a cookie is set")
    page.wait_for_load_state()


def _frame(page: Page, origin: str, findings: Findings) -> None:
    page.goto(origin + "/frame")
    frame = page.frames[1]
    frame.wait_for_load_state()
    findings.expect(frame.url.startswith("chrome-error:"), f"{origin} shows the page in a frame")


def _read(page: Page, origin: str, base: str, findings: Findings) -> None:
    page.goto(origin + "/read")
    for path in ("/", "/v1/reports"):
        read = page.evaluate(
            """address => fetch(address, {credentials: 'include'}).then(answer => answer.text()).catch(() => null)""",
            base + path)
        findings.expect(read is None, f"{origin} reads {path}")
