"""Notifications of the App Store beside postbacks: revenue must be what made-up customers really paid."""

from __future__ import annotations

import hashlib
import random

from database import Database
from load import Book, Load, Postback
from server import Programs

PATH = "/v1/app-store/notifications"

# The names of a row, and what is summed in it: in version 2, and in version 1, which has no price.
PRICED = (
    ["environment", "day", "bundle_id", "product_id", "storefront", "currency", "kind"],
    ["transactions", "gross", "refunded", "net"])
COUNTED = (["environment", "day", "bundle_id", "product_id"], ["transactions", "revoked"])
FOUND = """
    SELECT concat_ws(' ', environment, day, bundle_id, product_id, storefront, currency, kind, transactions,
                     trim_scale(gross * 1000), trim_scale(refunded * 1000), trim_scale(net * 1000))
      FROM attribution.report_app_store_revenue_all WHERE currency IS NOT NULL
    UNION ALL
    SELECT concat_ws(' ', environment, day, bundle_id, product_id, count(*), count(revoked_at))
      FROM attribution.store_transactions WHERE currency IS NULL GROUP BY environment, day, bundle_id, product_id
"""


class AppStore:
    """The notifications of a run, and their truth."""

    def __init__(self, programs: Programs, customers: int, choice: random.Random) -> None:
        self._programs = programs
        self._customers = customers
        self._choice = choice
        self._truth: dict[str, list[int]] = {}
        self._book = Book()

    async def load(self, seed: int, port: int) -> Load:
        """The notifications of new customers, which nobody delivers yet."""
        bodies, cells = await self._programs.simulate_app_store(seed, self._customers)
        for cell in cells:
            names, figures = PRICED if "currency" in cell else COUNTED
            key = " ".join(cell[name] for name in names)
            before = self._truth.get(key, [0] * len(figures))
            self._truth[key] = [count + cell[name] for count, name in zip(before, figures, strict=True)]
        postbacks = [Postback(body, hashlib.sha256(body).hexdigest(), 0) for body in bodies]
        return Load([port], postbacks, self._book, self._choice, PATH)

    async def finish(self, load: Load, database: Database, timeout: float) -> list[str]:
        """Delivers what is left; returns in words what is wrong then."""
        load.mark()
        if left := await load.finish(timeout):
            return [f"{left} notifications were not acknowledged {timeout:.0f} s after all was back"]
        wanted = {" ".join([key, *map(str, figures)]) for key, figures in self._truth.items()}
        wrong = sorted(wanted ^ set(await database.sql(FOUND)))
        differences = await database.sql("SELECT found FROM attribution.recount_app_store() AS found")
        problems = [f"rows of the App Store's revenue are wrong: {len(wrong)}, such as {wrong[:4]}"] if wrong else []
        problems += [f"transactions and bodies of notifications do not fit together: {row}" for row in differences[:4]]
        return problems + [f"notifications: {count} times {what}" for what, count in self._book.wrong.items()]
