// Loads that packets wait for, and which of them are hidden.
import { base, chart, colour, legend, Plot, shorten } from "../chart.js";
import { bodies } from "../bodies.js";
import { number, plural, table } from "../dom.js";

const levels = [
  ["level2", "L2"],
  ["level3", "L3"],
  ["memory", "memory"],
];
const shown_places = 15;

// One row per source line, those that wait longest first: what comes from memory weighs most.
function places(loads) {
  const rows = new Map();
  for (const load of loads) {
    const row = rows.get(load.at) ?? { at: load.at, level2: 0, level3: 0, memory: 0 };
    for (const [level] of levels) row[level] += load.accesses * load[level];
    rows.set(load.at, row);
  }
  return [...rows.values()].sort((a, b) => b.memory - a.memory || b.level3 - a.level3 || b.level2 - a.level2);
}

function draw(rows, hidden, width) {
  const room = Math.min(220, Math.floor(width * 0.36));
  const parts = rows.flatMap((row) => levels.map(([level]) => ({ at: row.at, level, accesses: row[level] })));
  return Plot.plot({
    ...base(width),
    height: 56 + 26 * rows.length,
    marginLeft: room,
    marginRight: 60,
    marginBottom: 38,
    x: { label: "accesses per packet that miss the first level →", grid: true },
    y: {
      label: null,
      domain: rows.map(({ at }) => at),
      tickSize: 0,
      tickFormat: (at) => shorten(at, Math.floor(room / 7)),
    },
    color: { domain: levels.map(([level]) => level), range: levels.map(([level]) => colour(level)) },
    marks: [
      Plot.barX(
        parts,
        Plot.stackX({
          order: ["memory", "level3", "level2"],
          x: "accesses",
          y: "at",
          fill: "level",
          insetTop: 3,
          insetBottom: 3,
          tip: true,
        }),
      ),
      Plot.text(
        rows.filter(({ at }) => hidden.has(at)),
        {
          x: (row) => levels.reduce((sum, [level]) => sum + row[level], 0),
          y: "at",
          text: () => "hidden",
          textAnchor: "start",
          dx: 6,
          fontWeight: 600,
        },
      ),
    ],
  });
}

export const loads = {
  id: "loads",
  title: "Expensive loads",
  short: "Loads",
  build(report) {
    const opened = report.plan.opened_loads;
    const planned = bodies(report).flatMap(({ plan }) => plan.loads);
    if (!opened.length && !planned.length) return null;
    const hidden = new Set(planned.filter((load) => load.hidden).map((load) => load.at));
    const share = (label, key) => ({ label, key, numeric: true, format: (v) => `${number(100 * v)} %` });
    const reason = (load) =>
      planned.find((other) => other.at === load.at)?.reason ?? "the body is staged, and hides none";
    const rows = places(opened);
    const most = rows.slice(0, shown_places);
    const profiled =
      opened.length &&
      chart({
        name: "loads",
        how: "simulated",
        title: `Where packets wait for data: ${most.length < rows.length ? `${number(most.length)} of ` : ""}${plural(rows.length, "source line")}, by the level that answers.`,
        note: hidden.size ? "While a packet waits at a hidden load, others run." : "None of them is hidden.",
        controls: legend(levels.map(([key, label]) => [label, key]).reverse()),
        draw: (width) => draw(most, hidden, width),
        data: table({
          caption: "Expensive loads",
          rows: opened,
          path: "plan.opened_loads",
          columns: [
            { label: "at", key: "at" },
            { label: "function", key: "function" },
            { label: "per packet", key: "accesses", numeric: true, format: (v) => number(v, 2) },
            share("L2", "level2"),
            share("L3", "level3"),
            share("memory", "memory"),
            share("page walks", "walks"),
            { label: "why", value: reason },
          ],
        }),
      });
    const named = planned.filter((load) => !opened.some((other) => other.at === load.at));
    return [
      profiled || null,
      named.length
        ? table({
            caption: "Loads that the source names",
            rows: named,
            columns: [
              { label: "at", value: (load) => load.at },
              { label: "hidden", value: (load) => (load.hidden ? "yes" : "no") },
              { label: "why", value: (load) => load.reason },
            ],
          })
        : null,
    ];
  },
};
