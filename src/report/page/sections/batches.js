// How many packets a receive call brings.
import { base, chart, colour, Plot } from "../chart.js";
import { per_body } from "../bodies.js";
import { number, plural, table } from "../dom.js";

function draw(batches, width) {
  const most = batches.at(-1).packets;
  return Plot.plot({
    ...base(width),
    height: 230,
    marginLeft: 56,
    marginBottom: 40,
    x: {
      label: "packets in a batch →",
      domain: [0.5, Math.max(most, 8) + 0.5],
      tickFormat: (x) => (Number.isInteger(x) ? number(x) : ""),
    },
    y: { label: "↑ batches", grid: true },
    marks: [
      Plot.rectY(batches, {
        x1: (row) => row.packets - 0.45,
        x2: (row) => row.packets + 0.45,
        y: "batches",
        fill: colour("after"),
        tip: true,
      }),
      Plot.ruleY([0], { stroke: colour("line") }),
    ],
  });
}

export const batches = {
  id: "batches",
  title: "Batches",
  build: (report) =>
    per_body(report, ({ path }) => {
      if (!path?.batches.length) return null;
      const calls = path.batches.reduce((sum, row) => sum + row.batches, 0);
      const packets = path.batches.reduce((sum, row) => sum + row.batches * row.packets, 0);
      return chart({
        name: "batches",
        how: "sampled",
        title: `Packets that one receive call brought: ${plural(calls, "batch", "batches")} in the sample, ${number(packets / calls, 1)} packets on average.`,
        note: "Stages share the code among the packets of one batch; of a batch of one nothing is gained. Batches at the ends of a run of the sample may be cut short.",
        draw: (width) => draw(path.batches, width),
        data: table({
          caption: "Batches",
          rows: path.batches,
          path: `path.bodies.${path.index}.batches`,
          columns: [
            { label: "packets", key: "packets", numeric: true },
            { label: "batches", key: "batches", numeric: true, format: (v) => number(v) },
          ],
        }),
      });
    }),
};
