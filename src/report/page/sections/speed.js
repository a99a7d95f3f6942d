// Every round's ratio, with the median and its interval.
import { base, chart, colour, Plot } from "../chart.js";
import { h, number, table } from "../dom.js";

function rounds(bench) {
  const [first, ...others] = bench.variants;
  return others.flatMap((variant) =>
    variant.samples.map((own, round) => ({
      variant: variant.name,
      round: round + 1,
      ratio: bench.higher_is_better ? own / first.samples[round] : first.samples[round] / own,
    })),
  );
}

function draw(bench, width) {
  const shown = bench.variants.slice(1);
  return Plot.plot({
    ...base(width),
    height: 64 + 56 * shown.length,
    marginLeft: 150,
    marginBottom: 40,
    x: { label: "times the original, round by round →", nice: true, grid: true },
    y: { label: null, domain: shown.map((variant) => variant.name), tickSize: 0 },
    marks: [
      Plot.ruleX([1], { stroke: colour("text"), strokeDasharray: "3 3" }),
      Plot.link(shown, {
        x1: (v) => v.ratio_ci[0],
        x2: (v) => v.ratio_ci[1],
        y: "name",
        stroke: colour("after"),
        strokeWidth: 10,
        strokeOpacity: 0.35,
        strokeLinecap: "butt",
      }),
      Plot.dot(rounds(bench), {
        x: "ratio",
        y: "variant",
        r: 3.5,
        fill: colour("after"),
        fillOpacity: 0.55,
        channels: { round: "round" },
        tip: true,
      }),
      Plot.tickX(shown, {
        x: "ratio",
        y: "name",
        stroke: colour("text"),
        strokeWidth: 2.5,
        insetTop: 14,
        insetBottom: 14,
      }),
      Plot.text(shown, { x: "ratio", y: "name", dy: -20, text: (v) => number(v.ratio, 3), fontWeight: 600 }),
    ],
  });
}

function counters(bench) {
  const names = [...new Set(bench.variants.flatMap((variant) => Object.keys(variant.counters)))];
  if (!names.length) return null;
  return table({
    caption: "Hardware counters, of one more run each (measured)",
    columns: [
      { label: "counter", value: (name) => name },
      ...bench.variants.map((variant) => ({
        label: variant.name,
        value: (name) => variant.counters[name],
        numeric: true,
        format: (v) => (v == null ? "" : number(v)),
      })),
    ],
    rows: names,
  });
}

export const speed = {
  id: "speed",
  title: "Speed",
  build({ bench }) {
    if (!bench) return null;
    return [
      chart({
        name: "speed",
        how: "measured",
        title: "Each dot is one round of runs in turn; the bar is the interval of the median.",
        note: `Metric: ${bench.metric}. The dashed line is the original.`,
        draw: (width) => draw(bench, width),
        data: table({
          caption: "Variants",
          path: "bench.variants",
          rows: bench.variants,
          columns: [
            { label: "variant", key: "name" },
            { label: "median", key: "value", numeric: true, format: (v) => number(v, 4) },
            { label: "ratio", key: "ratio", numeric: true, format: (v) => number(v, 3) },
            {
              label: "interval",
              value: (v) => `[${number(v.ratio_ci[0], 3)}, ${number(v.ratio_ci[1], 3)}]`,
              numeric: true,
            },
          ],
        }),
      }),
      counters(bench),
      bench.arguments?.length
        ? h("p", { class: "note" }, "Arguments: ", h("code", {}, bench.arguments.join(" ")))
        : null,
    ];
  },
};
