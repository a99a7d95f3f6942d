// Loads that packets wait for, and which of them are hidden.
import { base, chart, colour, legend, Plot, shorten } from "../chart.js";
import { bodies } from "../bodies.js";
import { number, table } from "../dom.js";

const levels = [["level2", "L2"], ["level3", "L3"], ["memory", "memory"]];

function draw(loads, hidden, width) {
  const room = Math.min(220, Math.floor(width * 0.36));
  const rows = loads.flatMap((load, index) => levels.map(([key]) => ({ index, key, accesses: load.accesses * load[key] })));
  return Plot.plot({
    ...base(width), height: 56 + 28 * loads.length, marginLeft: room, marginRight: 70, marginBottom: 38,
    x: { label: "accesses per packet that miss the first level →", grid: true },
    y: { label: null, domain: loads.map((_, index) => index), tickSize: 0, tickFormat: (index) => shorten(loads[index].at, Math.floor(room / 6.4)) },
    color: { domain: levels.map(([key]) => key), range: levels.map(([key]) => colour(key)) },
    marks: [
      Plot.barX(rows, Plot.stackX({ x: "accesses", y: "index", fill: "key", insetTop: 3, insetBottom: 3, tip: true })),
      Plot.text(loads, { x: (load) => levels.reduce((sum, [key]) => sum + load.accesses * load[key], 0), y: (_, index) => index, text: (load) => (hidden.has(load.at) ? "hidden" : "left"), textAnchor: "start", dx: 6, fontWeight: 600 }),
    ],
  });
}

export const loads = {
  id: "loads",
  title: "Expensive loads",
  build(report) {
    const opened = report.plan.opened_loads;
    const planned = bodies(report).flatMap(({ plan }) => plan.loads);
    if (!opened.length && !planned.length) return null;
    const hidden = new Set(planned.filter((load) => load.hidden).map((load) => load.at));
    const share = (label, key) => ({ label, key, numeric: true, format: (v) => `${number(100 * v)} %` });
    const reason = (load) => planned.find((other) => other.at === load.at)?.reason ?? "the body is staged, and hides none";
    const profiled = opened.length && chart({
      name: "loads", how: "simulated",
      title: "Loads that packets wait for, by the level of cache that answers them; hidden ones let other packets run meanwhile.",
      controls: legend(levels.map(([key, label]) => [label, key])),
      draw: (width) => draw(opened, hidden, width),
      data: table({
        caption: "Expensive loads", rows: opened, path: "plan.opened_loads",
        columns: [{ label: "at", key: "at" }, { label: "function", key: "function" },
          { label: "per packet", key: "accesses", numeric: true, format: (v) => number(v, 2) },
          share("L2", "level2"), share("L3", "level3"), share("memory", "memory"), share("page walks", "walks"),
          { label: "why", value: reason }],
      }),
    });
    const named = planned.filter((load) => !opened.some((other) => other.at === load.at));
    return [profiled || null,
      named.length ? table({ caption: "Loads that the source names", rows: named, columns: [{ label: "at", value: (load) => load.at }, { label: "hidden", value: (load) => (load.hidden ? "yes" : "no") }, { label: "why", value: (load) => load.reason }] }) : null];
  },
};
