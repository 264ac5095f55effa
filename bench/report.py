"""Turns figures into a table for people, with the goals beside them."""

FULL, NORMAL, NGINX, NODE, DIRECT = "braidlog full", "braidlog normal", "nginx", "plain node", "no server"
RUNS_FULL, RUNS_NORMAL = f"{FULL}, runs", f"{NORMAL}, runs"
IN_ONE_POST = (FULL, NORMAL, f"{FULL}, conversation", f"{FULL}, tasks")


class Goal:
    """`value` must not pass `limit`: at most, or with at_least the other way round."""

    def __init__(self, what, value, limit, at_least=False):
        self.what, self.value, self.limit, self.at_least = what, value, limit, at_least

    @property
    def reached(self):
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def row(self):
        sign = "≥" if self.at_least else "≤"
        return [self.what, f"{self.value:,.3g}" if self.value < 1000 else f"{self.value:,.0f}",
                f"{sign} {self.limit:,}", "reached" if self.reached else "MISSED"]

    def as_json(self):
        return {"goal": self.what, "value": self.value, "limit": self.limit, "reached": self.reached}


def goals(figures, held, stored, per_million):
    """Those that this run has figures for."""
    found = []

    def ratio(what, part, measure, ours, theirs, limit):
        above, below = figures.median(part, measure, ours), figures.median(part, measure, theirs)
        if above is not None and below:
            found.append(Goal(what, above / below, limit))

    def absolute(what, part, measure, server, limit, at_least=False):
        value = figures.median(part, measure, server)
        if value is not None:
            found.append(Goal(what, value, limit, at_least))

    def difference(what, part, measure, ours, theirs, limit):
        above, below = figures.median(part, measure, ours), figures.median(part, measure, theirs)
        if above is not None and below is not None:
            found.append(Goal(what, above - below, limit))

    for ours in (*IN_ONE_POST, RUNS_FULL):
        ratio(f"bursts: CPU of {ours} ÷ nginx", "bursts", per_million, ours, NGINX, 3)
        ratio(f"bursts: CPU of {ours} ÷ plain node", "bursts", per_million, ours, NODE, 0.25)
    for ours in (FULL, NORMAL):
        ratio(f"pace: CPU of {ours} ÷ nginx", "pace", per_million, ours, NGINX, 1.3)
    difference("delay: p50 in ms added by braidlog full", "delay", "delay ms p50", FULL, DIRECT, 0.4)
    difference("delay: p50 in ms added by braidlog normal", "delay", "delay ms p50", NORMAL, DIRECT, 0.15)
    for level in held:
        measure = f"KB per stream at {level:,}"
        absolute(f"memory: KB per viewer at {level:,}", "memory", measure, f"{RUNS_NORMAL}, a viewer of one run", 4)
        absolute(f"memory: KB per live run at {level:,}", "memory", measure, f"{NORMAL}, a live run with its viewer", 24)
    absolute(f"stored: replays/s from {stored:,} runs", "stored", "replays/s", RUNS_FULL, 10_000, at_least=True)
    for ours in (FULL, NORMAL):
        absolute(f"start: ms to the first event, {ours}", "start", "ms to the first event", ours, 50)
    return found


def table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def part_table(figures, part):
    """A row per measure when there are more of them than servers, else a row per server."""
    measures, servers = figures.measures(part), figures.servers(part)
    rows = [[part, *servers]] + [[m, *(figures.text(part, m, s) for s in servers)] for m in measures]
    if len(servers) > len(measures):
        rows = [list(column) for column in zip(*rows)]
    return table(rows)


def whole_report(figures, reached, conditions):
    texts = [part_table(figures, part) for part in figures.parts()]
    if reached:
        texts.append(table([["goal", "value", "limit", ""]] + [goal.row() for goal in reached]))
    texts.append("\n".join(f"{key}: {value}" for key, value in conditions.items()))
    return "\n\n".join(texts)
