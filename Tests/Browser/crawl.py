"""Follows every link and every filter of the pages."""

from __future__ import annotations

from collections import deque
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from browsing import WatchedPage
from figures import check_figures
from screens import ScreenCheck

# Bars of charts are links too; the rows of their tables lead to the same.
LINKS = "() => [...document.querySelectorAll('a[href]:not(svg a)')].map(link => link.href)"

# Each form of filters once for each option of each of its lists.
FILTERS = """() => [...document.querySelectorAll('form')].filter(form => form.method === 'get').flatMap(form =>
    [...form.querySelectorAll('select')].flatMap(select => [...select.options].slice(0, 6).map(option => {
        const values = new URLSearchParams(new FormData(form));
        values.set(select.name, option.value);
        return new URL(form.getAttribute('action') || location.pathname, location.href).href.split('?')[0]
            + '?' + values;
    })))"""

# Where forms that change something are sent.
ACTIONS = """() => [...document.querySelectorAll('form')].filter(form => form.method === 'post')
    .map(form => new URL(form.getAttribute('action') || location.href, location.href).href)"""


class Crawl:
    """A walk over all pages, each address once, and each path a limited number of times."""

    def __init__(self, page: WatchedPage, base: str, database: str, look: ScreenCheck) -> None:
        self.page = page
        self.base = urlsplit(base).netloc
        self.database = database
        self.look = look
        self.seen: set[str] = set()
        self.visits: dict[str, int] = {}
        self.filled: dict[str, int] = {}
        self.actions: list[str] = []

    def run(self, start: str, most_of_a_path: int) -> None:
        """Walks from an address over everything that can be reached."""
        waiting = deque([start])
        while waiting:
            address = waiting.popleft()
            path = self._screen(address)
            # A visit of Live keeps a place of its eight until the server sees that the browser has left.
            most = 3 if path == "/live" else most_of_a_path
            if address in self.seen or self.visits.get(path, 0) >= most:
                continue
            self.seen.add(address)
            self.visits[path] = self.visits.get(path, 0) + 1
            waiting.extend(self._visit(address, path))

    def _visit(self, address: str, path: str) -> list[str]:
        if "csv=" in address:
            answer = self.page.page.context.request.get(address)
            self.page.findings.expect(answer.status == 200, f"{address}: answered {answer.status}")
            return []
        self.page.open(address)
        if self.visits[path] == 1:
            self.look.check(self.page, path.strip("/").replace("/", "-") or "overview")
        # The figures of two addresses of a screen: without filters, and with one. Values has none until an app is chosen.
        if self.visits[path] <= 2 or not self.filled.get(path):
            self.filled[path] = self.filled.get(path, 0) + check_figures(self.page, self.database)
        for action in self.page.page.evaluate(ACTIONS):
            if action not in self.actions:
                self.actions.append(action)
        # Tables have a link for each day, which would leave no room for the filters.
        targets = self.page.page.evaluate(FILTERS) + self.page.page.evaluate(LINKS)
        return [target for target in map(self._normal, targets) if urlsplit(target).netloc == self.base]

    @staticmethod
    def _screen(address: str) -> str:
        """The path of an address, of which only the first part and the number of parts count; CSV is apart."""
        parts = urlsplit(address).path.split("/")
        return f"/{parts[1]}" + "/one" * (len(parts) - 2) + ("/csv" if "csv=" in address else "")

    @staticmethod
    def _normal(address: str) -> str:
        """The address without its fragment, with its parameters in order and without empty ones."""
        parts = urlsplit(address)
        query = urlencode(sorted((name, value) for name, value in parse_qsl(parts.query) if value))
        return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))
