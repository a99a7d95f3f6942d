// Instruction-cache misses over cache sizes.
import { base, chart, colour, legend, Plot } from "../chart.js";
import { number, table } from "../dom.js";

function draw(points, host, width) {
  const lines = ["original", "staged"].flatMap((order) =>
    points.map((row) => ({ order, kib: row.bytes / 1024, mpki: (1000 * row[order]) / row.instructions })),
  );
  const most = Math.max(1, ...lines.map((point) => point.mpki)); // less than one in a thousand is no curve
  return Plot.plot({
    ...base(width),
    height: 310,
    marginLeft: 46,
    marginTop: 36,
    marginBottom: 40,
    x: {
      type: "log",
      base: 2,
      label: "KiB of instruction cache →",
      tickFormat: (kib) => number(kib),
      ticks: points.map((row) => row.bytes / 1024),
    },
    y: { label: "↑ misses per 1,000 instructions", grid: true, domain: [0, most] },
    r: { type: "identity" },
    color: { domain: ["original", "staged"], range: [colour("before"), colour("after")] },
    marks: [
      Plot.ruleY([0], { stroke: colour("line") }),
      host && Plot.ruleX([host.bytes / 1024], { stroke: colour("cut"), strokeDasharray: "4 3" }),
      host &&
        Plot.text([host.bytes / 1024], {
          x: (x) => x,
          frameAnchor: "top",
          dy: -16,
          text: () => "the host's",
        }),
      Plot.line(lines, { x: "kib", y: "mpki", stroke: "order", strokeWidth: 2.5 }),
      Plot.dot(lines, {
        x: "kib",
        y: "mpki",
        fill: "order",
        r: (point) => (point.order === "original" ? 5 : 3.5),
        tip: true,
      }),
    ],
  });
}

export const misses = {
  id: "misses",
  title: "Miss curves",
  short: "Misses",
  build({ path }) {
    const points = path?.misses
      .map((row, index) => ({ ...row, index }))
      .filter((row) => row.instructions)
      .sort((a, b) => a.bytes - b.bytes);
    if (!points?.length) return null;
    const host = points.find((row) => row.cache === path.host_icache);
    const per_thousand = (key) => ({
      value: (row) => (1000 * row[key]) / row.instructions,
      numeric: true,
      format: (v) => number(v, 2),
    });
    const count = (label, key) => ({
      label,
      value: (row) => row[key],
      path: (row) => `path.misses.${row.index}.${key}`,
      numeric: true,
      format: (v) => number(v),
    });
    return chart({
      name: "misses",
      how: "simulated",
      title: "Misses of the sample's packets in instruction caches of each size, as written and as planned.",
      note: "The profile's blocks, replayed in both orders through sets and ways with least-recently-used replacement.",
      controls: legend([
        ["as written", "before"],
        ["as planned", "after"],
      ]),
      draw: (width) => draw(points, host, width),
      data: table({
        caption: "Misses (simulated)",
        rows: points,
        columns: [
          { label: "cache", value: (row) => row.cache },
          count("misses as written", "original"),
          count("misses as planned", "staged"),
          { label: "per 1,000, as written", ...per_thousand("original") },
          { label: "as planned", ...per_thousand("staged") },
        ],
      }),
    });
  },
};
