// The footprint of each stage against the host's caches.
import { base, chart, colour, legend, Plot } from "../chart.js";
import { per_body } from "../bodies.js";
import { kib, number, table } from "../dom.js";

// "48K" of sysfs, in KiB.
const cache_kib = ({ size }) => parseFloat(size) * (size.endsWith("M") ? 1024 : 1);

function host_caches({ caches }) {
  const instructions = caches.find((cache) => cache.level === 1 && cache.type === "Instruction");
  const second = caches.find((cache) => cache.level === 2);
  return [
    instructions && { name: "L1I", kib: cache_kib(instructions) },
    second && { name: "L2", kib: cache_kib(second) },
  ].filter(Boolean);
}

function rows_of(plan) {
  const stages = plan.stages.map((stage, index) => ({
    name: `stage ${index}`,
    kib: kib(stage.cost),
    order: stage.ordered ? "ordered" : "free",
    stage,
  }));
  return [
    { name: "whole path", kib: kib(plan.footprint), order: "whole" },
    ...(plan.sites.length ? stages : []),
  ];
}

function draw(rows, rules, width) {
  const most = Math.max(...rows.map((row) => row.kib), rules[0]?.kib ?? 0) * 1.12;
  const shown = rules.filter((rule) => rule.kib <= most);
  return Plot.plot({
    ...base(width),
    height: 70 + 30 * rows.length,
    marginLeft: 90,
    marginRight: 60,
    marginTop: 24,
    marginBottom: 38,
    x: { label: "KiB of code that a batch runs there →", domain: [0, most], grid: true },
    y: { label: null, domain: rows.map((row) => row.name), tickSize: 0 },
    color: {
      domain: ["whole", "ordered", "free"],
      range: [colour("before"), colour("after"), colour("free")],
    },
    marks: [
      Plot.barX(rows, { x: "kib", y: "name", fill: "order", insetTop: 3, insetBottom: 3 }),
      Plot.text(rows, {
        x: "kib",
        y: "name",
        text: (row) => number(row.kib, 1),
        textAnchor: "start",
        dx: 5,
        fontWeight: 600,
      }),
      Plot.ruleX(shown, { x: "kib", stroke: colour("cut"), strokeWidth: 1.5, strokeDasharray: "4 3" }),
      Plot.text(shown, { x: "kib", text: "name", frameAnchor: "top", dy: -14, dx: -4, textAnchor: "end" }),
    ],
  });
}

export const stages = {
  id: "stages",
  title: "Footprint of each stage",
  short: "Stages",
  build: (report) =>
    per_body(report, ({ plan, at }) => {
      const caches = host_caches(report.machine);
      const budget = { name: "budget", kib: kib(report.plan.budget) };
      const l1 = caches.find((cache) => cache.name === "L1I");
      const rules = [...caches, ...(l1?.kib === budget.kib ? [] : [budget])];
      const rows = rows_of(plan);
      return chart({
        name: "stages",
        how: "simulated",
        title: `Code that a batch touches, against ${rules.map((rule) => `${rule.name === "budget" ? "the budget" : rule.name} of ${number(rule.kib)} KiB`).join(", ")}.`,
        note: plan.sites.length
          ? "Packets pass ordered stages one after the other as they came; those of one key keep their order in free ones."
          : "The body is not staged.",
        controls: legend([
          ["as written", "before"],
          ...(plan.sites.length ? [["ordered stage", "after"]] : []),
          ...(plan.stages.some((stage) => !stage.ordered) ? [["free stage", "free"]] : []),
        ]),
        draw: (width) => draw(rows, rules, width),
        data: table({
          caption: "Stages",
          rows: plan.stages,
          path: `plan.bodies.${at}.stages`,
          columns: [
            { label: "stage", value: (_, index) => index, numeric: true },
            { label: "lines", key: "cost", numeric: true, format: (v) => number(v) },
            { label: "instructions per packet", key: "heat", numeric: true, format: (v) => number(v) },
            { label: "crossings per packet", key: "crossings", numeric: true, format: (v) => number(v, 2) },
            { label: "blocks", key: "blocks", numeric: true, format: (v) => number(v) },
            { label: "order", value: (stage) => (stage.ordered ? "ordered" : "free") },
          ],
        }),
      });
    }),
};
