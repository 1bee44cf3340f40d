"""Compares views with their recount, row by row and column by column."""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class View:
    """A view, table or call of a function, and its recount.

    `rows` makes the rows from the world, each a dictionary with all columns. `key` are the columns that name a row;
    all others are figures. Rows of figures that are all zero may be missing if `leaves_out_zeros`.
    """

    name: str
    key: typing.Tuple[str, ...]
    rows: typing.Callable
    # The FROM item; the name itself for a view.
    source: typing.Optional[str] = None
    leaves_out_zeros: bool = False
    # What the recount ignores on purpose, each with the reason.
    ignored: typing.Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def title(self):
        """The name, with the arguments of a call."""
        return self.source if self.source and self.source.startswith(self.name + "(") else self.name


def differences(world, view):
    """Each difference as (key, column, stored, recounted). A row that one side lacks is a difference of its own."""
    types = world.snapshot.columns(view.source or view.name)
    names = [name for name in types if name not in view.ignored]
    recounted = {}
    for row in view.rows(world):
        if set(row) != set(names):
            yield "", "the columns", ", ".join(names), ", ".join(row)
            return
        key = tuple(row[name] for name in view.key)
        if key in recounted:
            yield _shown(view.key, key), "the key", "", "two rows"
        recounted[key] = row
    figures = [name for name in names if name not in view.key]
    found = set()
    query = f"SELECT {', '.join(_identifier(name) for name in names)} FROM {view.source or view.name}"
    for values in world.snapshot.values(query, *(types[name] for name in names)):
        stored = dict(zip(names, values))
        key = tuple(stored[name] for name in view.key)
        if key in found:
            yield _shown(view.key, key), "the key", "two rows", ""
        found.add(key)
        row = recounted.get(key)
        if row is None:
            if not (view.leaves_out_zeros and _is_zero(stored, figures)):
                yield _shown(view.key, key), "the row", _shown(figures, [stored[name] for name in figures]), "no row"
            continue
        for name in figures:
            # In this order: the recounted one knows when two amounts are equal.
            if row[name] != stored[name]:
                yield _shown(view.key, key), name, stored[name], row[name]
    for key, row in recounted.items():
        if key not in found and not (view.leaves_out_zeros and _is_zero(row, figures)):
            yield _shown(view.key, key), "the row", "no row", _shown(figures, [row[name] for name in figures])


def _is_zero(row, figures):
    return not any(row[name] for name in figures)


def _identifier(name):
    return '"' + name.replace('"', '""') + '"'


def _shown(names, values):
    return " ".join(f"{name}={value}" for name, value in zip(names, values))
