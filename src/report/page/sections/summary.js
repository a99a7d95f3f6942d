// What came of it, in five tiles.
import { datum, h, kib, kind, number, plural } from "../dom.js";

const interval = (bounds) => `[${number(bounds[0], 3)}, ${number(bounds[1], 3)}]`;

function tile(title, value, ...notes) {
  return h(
    "div",
    { class: "tile" },
    h("h3", {}, title),
    h("p", { class: "value" }, value),
    notes.filter(Boolean).map((note) => h("p", { class: "note" }, note)),
  );
}

function speed({ summary, bench }) {
  if (summary.ratio == null) return null;
  const slower = summary.ratio_ci[1] < 1;
  const verdict = slower
    ? "slower than the original: not kept"
    : summary.ratio_ci[0] > 1
      ? "faster"
      : "no difference shown";
  return tile(
    h("span", {}, "Speed to the original ", kind("measured")),
    h("span", {}, datum(summary.ratio, number(summary.ratio, 3), "summary.ratio"), h("small", {}, " ×")),
    `${interval(summary.ratio_ci)} at ${number(100 * summary.confidence, 1)} %, ${plural(bench.rounds, "round")}: ${verdict}`,
    summary.ratio_staging_off != null &&
      h(
        "span",
        {},
        "staging switched off: ",
        datum(summary.ratio_staging_off, number(summary.ratio_staging_off, 3), "summary.ratio_staging_off"),
        " ×",
      ),
  );
}

function outputs({ summary, verify }) {
  if (!summary.outputs) return null;
  const words = { identical: "Identical", different: "Different", unknown: "Unknown" };
  const mark = { identical: "good", different: "bad", unknown: "open" }[summary.outputs];
  const compared = verify.runs
    .slice(1)
    .map((run) => run.name.replace("batch ", ""))
    .join(", ");
  return tile(
    h("span", {}, "Outputs ", kind("measured")),
    h("span", { class: mark }, words[summary.outputs]),
    summary.outputs === "identical" ? `byte by byte, at batch ${compared}` : verify.reason,
  );
}

function applied({ summary, plan }) {
  const nothing = summary.sites === 0;
  const parts = [
    plural(summary.sites, "site"),
    summary.loads && `${summary.hidden_loads} of ${plural(summary.loads, "load")} hidden`,
  ];
  return tile(
    "Applied",
    nothing ? "Nothing" : datum(summary.stages, plural(summary.stages, "stage"), "summary.stages"),
    nothing ? summary.applied : parts.filter(Boolean).join(", "),
    `${summary.trust}; policy ${plan.policy}, ${number(kib(plan.budget))} KiB a stage, up to ${plan.batch} packets in flight`,
  );
}

function misses({ path }) {
  const host = path?.misses.find((row) => row.cache === path.host_icache);
  if (!host || !host.instructions) return null;
  const per_thousand = (value) => number((1000 * value) / host.instructions, 1);
  const change = host.original ? host.staged / host.original - 1 : 0;
  return tile(
    h("span", {}, "Instruction-cache misses ", kind("simulated")),
    h("span", {}, per_thousand(host.original), h("small", {}, " → "), per_thousand(host.staged)),
    `per thousand instructions, at the host's ${host.cache}`,
    `${change > 0 ? "+" : ""}${number(100 * change)} %`,
  );
}

function sample({ summary, plan }) {
  const body = plan.bodies.reduce((a, b) => (b.packets > a.packets ? b : a), plan.bodies[0]);
  return tile(
    h("span", {}, "Sample ", kind("sampled")),
    h(
      "span",
      {},
      datum(summary.packets, number(summary.packets), "summary.packets"),
      h("small", {}, " packets"),
    ),
    body &&
      `${plural(Math.round(body.instructions), "instruction")} per packet, ${number(kib(body.footprint))} KiB of code per ${plan.footprint_model === "batch" ? "batch" : "packet"}`,
  );
}

export const summary = {
  id: "summary",
  title: "Summary",
  build: (report) =>
    h(
      "div",
      { class: "tiles" },
      [speed, outputs, applied, misses, sample].map((part) => part(report)),
    ),
};
