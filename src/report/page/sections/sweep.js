// Plans measured in turn, and what the models say of each.
import { base, chart, colour, Plot } from "../chart.js";
import { number, table } from "../dom.js";

function draw({ plans }, width) {
  return Plot.plot({
    ...base(width),
    height: 64 + 24 * plans.length,
    marginLeft: 190,
    marginBottom: 40,
    x: { label: "times the original →", nice: true, grid: true },
    y: { label: null, domain: plans.map((plan) => plan.name), tickSize: 0 },
    marks: [
      Plot.ruleX([1], { stroke: colour("text"), strokeDasharray: "3 3" }),
      Plot.link(plans, {
        x1: (plan) => plan.ratio_ci[0],
        x2: (plan) => plan.ratio_ci[1],
        y: "name",
        stroke: colour("after"),
        strokeWidth: 8,
        strokeOpacity: 0.35,
        strokeLinecap: "butt",
      }),
      Plot.tickX(plans, { x: "ratio", y: "name", stroke: colour("text"), strokeWidth: 2.5, tip: true }),
      Plot.dot(plans, { x: "predicted", y: "name", r: 4, stroke: colour("before"), strokeWidth: 1.5 }),
    ],
  });
}

const mark = (sweep, index) =>
  [index === sweep.chosen && "chosen by the models", index === sweep.best && "best"].filter(Boolean).join(", ");

export const sweep = {
  id: "sweep",
  title: "Other plans",
  build({ sweep }) {
    if (!sweep) return null;
    const plans = sweep.plans.map((plan, index) => ({ ...plan, mark: mark(sweep, index) }));
    return [
      chart({
        name: "sweep",
        how: "measured",
        title: `The models' choice reaches ${number(100 * sweep.share_of_best, 1)} % of the best plan.`,
        note: `Metric: ${sweep.metric}, ${sweep.rounds} rounds in turn. Ticks and bars: median and interval; circles: predicted. Outputs of all: ${sweep.outputs?.verdict ?? "not compared"}.`,
        draw: (width) => draw({ plans }, width),
        data: table({
          caption: "Plans",
          path: "sweep.plans",
          rows: plans,
          columns: [
            { label: "plan", key: "name" },
            { label: "stages", key: "stages", numeric: true },
            { label: "hidden loads", key: "hidden_loads", numeric: true },
            { label: "predicted", key: "predicted", numeric: true, format: (v) => number(v, 3) },
            { label: "measured", key: "ratio", numeric: true, format: (v) => number(v, 3) },
            {
              label: "interval",
              value: (plan) => `[${number(plan.ratio_ci[0], 3)}, ${number(plan.ratio_ci[1], 3)}]`,
              numeric: true,
            },
            { label: "", value: (plan) => plan.mark },
          ],
        }),
      }),
    ];
  },
};
