"""Figures as they come in: three of a kind are a median with its spread."""
import statistics


class Figures:
    def __init__(self):
        self._values = {}

    def add(self, part, measure, server, value):
        self._values.setdefault((part, measure, server), []).append(value)

    def median(self, part, measure, server):
        values = self._values.get((part, measure, server))
        return statistics.median(values) if values else None

    def text(self, part, measure, server):
        values = self._values.get((part, measure, server))
        if not values:
            return ""
        if len(values) == 1:
            return short(values[0])
        return f"{short(statistics.median(values))} ({short(min(values))}…{short(max(values))})"

    def parts(self):
        return list(dict.fromkeys(part for part, _, _ in self._values))

    def measures(self, part):
        return list(dict.fromkeys(measure for its, measure, _ in self._values if its == part))

    def servers(self, part):
        return list(dict.fromkeys(server for its, _, server in self._values if its == part))

    def as_json(self):
        return [{"part": part, "measure": measure, "server": server, "values": values,
                 "median": statistics.median(values)} for (part, measure, server), values in self._values.items()]


def short(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
