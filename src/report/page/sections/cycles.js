// Where a packet's cycles go, as written and as planned.
import { base, chart, colour, legend, Plot } from "../chart.js";
import { number, table } from "../dom.js";

const parts = [
  ["front_end", "front end"],
  ["data", "data"],
  ["switching", "switching"],
  ["rest", "the rest"],
];
const name = (key) => `part-${key.replace("_", "-")}`;

function draw(cycles, width) {
  const rows = [
    ["as written", cycles.before],
    ["as planned", cycles.after],
  ].flatMap(([when, shares]) => parts.map(([key, label]) => ({ when, key, label, cycles: shares[key] })));
  const total = Math.max(cycles.before.total, cycles.after.total);
  return Plot.plot({
    ...base(width),
    height: 160,
    marginLeft: 80,
    marginRight: 60,
    marginBottom: 40,
    x: { label: "cycles per packet →", grid: true },
    y: { label: null, domain: ["as written", "as planned"], tickSize: 0 },
    color: { domain: parts.map(([key]) => key), range: parts.map(([key]) => colour(name(key))) },
    marks: [
      Plot.barX(
        rows,
        Plot.stackX({
          x: "cycles",
          y: "when",
          fill: "key",
          insetLeft: 0.5,
          insetRight: 0.5,
          channels: { part: "label" },
          tip: { format: { fill: false } },
        }),
      ),
      Plot.text(
        rows.filter((row) => row.cycles > total * 0.05),
        Plot.stackX({
          x: "cycles",
          y: "when",
          text: (row) => number(row.cycles),
          fill: colour("on-part"),
          fontWeight: 600,
        }),
      ),
      Plot.text(
        [
          ["as written", cycles.before],
          ["as planned", cycles.after],
        ],
        {
          x: ([, shares]) => shares.total,
          y: ([when]) => when,
          text: ([, shares]) => number(shares.total),
          textAnchor: "start",
          dx: 6,
          fontWeight: 600,
        },
      ),
    ],
  });
}

// The model's own prediction next to what was measured, so that nobody takes the one for the other.
function compared({ cycles: { before, after }, summary }) {
  const predicted = `It predicts ${number(before.total / after.total, 2)} times the speed`;
  return summary.ratio == null ? `${predicted}.` : `${predicted}; measured: ${number(summary.ratio, 2)}.`;
}

export const cycles = {
  id: "cycles",
  title: "Where the cycles go",
  short: "Cycles",
  build(report) {
    const { cycles: shares } = report;
    if (!shares) return null;
    return chart({
      name: "cycles",
      how: "modelled",
      title:
        "A packet's cycles: refills of the instruction cache, waits for data that nothing overlaps, changing packets, and the instructions themselves.",
      note: `This is the planner's model, by the figures of ${shares.host || "no calibrated host (built-in ones, which are bounds)"}; what it does not count, wrong branches for one, is in none of the bars. ${compared(report)}`,
      controls: legend(parts.map(([key, label]) => [label, name(key)])),
      draw: (width) => draw(shares, width),
      data: table({
        caption: "Cycles per packet (modelled)",
        columns: [
          { label: "part", value: (part) => part.label },
          ...["before", "after"].map((when) => ({
            label: when === "before" ? "as written" : "as planned",
            numeric: true,
            value: (part) => shares[when][part.key],
            path: (part) => `cycles.${when}.${part.key}`,
            format: (v) => number(v, 1),
          })),
        ],
        rows: [...parts, ["total", "total"]].map(([key, label]) => ({ key, label })),
      }),
    });
  },
};
