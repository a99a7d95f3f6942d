// Windows on a packet's way, and the locations that relaxations freed from having one.
import { base, chart, colour, legend, Plot, shorten } from "../chart.js";
import { per_body } from "../bodies.js";
import { h, number, percent, plural, table } from "../dom.js";

const shown_rows = 15;

// Windows that packets enter and leave at the same places are one row.
function rows_of({ plan, path }) {
  const stages = new Map((path?.nodes ?? []).map(({ node, stage }) => [node, stage]));
  const rows = new Map();
  for (const window of plan.windows) {
    if (!window.sampled.length) continue;
    const key = window.sampled.map(({ at, write }) => `${at} ${write}`).join();
    const row = rows.get(key) ?? {
      window,
      names: [],
      stage: window.accesses.map(({ node }) => stages.get(node)).find((stage) => stage != null),
    };
    row.names.push(window.name);
    rows.set(key, row);
  }
  return [...rows.values()].slice(0, shown_rows).map(({ window, names, stage }, row) => ({
    row,
    names,
    stage,
    share: window.heat_share,
    sampled: window.sampled,
    first: window.sampled[0].when,
    last: window.sampled.at(-1).when,
    label: `${names.length > 1 ? `(${names.length}) ` : ""}${window.name.replace(/, called from [^()]*(\([^)]*\))?/, "")}`,
  }));
}

function draw_windows(rows, staged, width) {
  const room = Math.min(300, Math.floor(width * 0.36));
  const accesses = rows.flatMap((row) => row.sampled.map((access) => ({ ...access, row: row.row })));
  const place = (access) => `${access.write ? "writes" : "reads"}\n${access.at} ${access.function}`;
  const list = ({ names, share }) =>
    [
      ...names.slice(0, 12),
      names.length > 12 && `... and ${names.length - 12} more`,
      `${percent(share, 1)} of the packet`,
    ]
      .filter(Boolean)
      .join("\n");
  return Plot.plot({
    ...base(width),
    height: 64 + 26 * rows.length,
    marginLeft: room,
    marginRight: staged ? 60 : 20,
    marginTop: 10,
    marginBottom: 38,
    x: {
      domain: [0, 1],
      label: "how far into the packet →",
      tickFormat: (x) => percent(x),
      ticks: Math.max(3, Math.floor((width - room) / 90)),
      grid: true,
    },
    y: {
      label: null,
      type: "band",
      domain: rows.map(({ row }) => row),
      tickSize: 0,
      tickFormat: (row) => shorten(rows[row].label, Math.floor(room / 7)),
    },
    marks: [
      Plot.link(rows, {
        x1: "first",
        x2: "last",
        y: "row",
        stroke: colour("window"),
        strokeWidth: 9,
        strokeLinecap: "round",
      }),
      Plot.dot(accesses, {
        x: "when",
        y: "row",
        r: 3.5,
        fill: (access) => (access.write ? colour("text") : colour("surface")),
        stroke: colour("text"),
        strokeWidth: 1.5,
        title: place,
        tip: true,
      }),
      staged
        ? Plot.text(rows, {
            frameAnchor: "right",
            y: "row",
            dx: 54,
            text: ({ stage }) => (stage == null ? "" : `stage ${stage}`),
            fontWeight: 600,
          })
        : null,
      Plot.tip(
        rows,
        Plot.pointerY({
          px: "last",
          y: "row",
          x: "first",
          title: list,
          maxRadius: 12,
          fill: colour("surface"),
          stroke: colour("line"),
        }),
      ),
    ],
  });
}

function windows_figure(body) {
  const { plan, at } = body;
  const rows = rows_of(body);
  const share = (label, key) => ({ label, key, numeric: true, format: (value) => percent(value, 1) });
  const data = table({
    caption: `Windows, largest first: ${number(plan.windows.length)} of ${number(plan.windows_count)}`,
    rows: plan.windows,
    path: `plan.bodies.${at}.windows`,
    columns: [
      { label: "location", key: "name" },
      share("of the packet", "heat_share"),
      { label: "lines", key: "cost", numeric: true, format: (v) => number(v) },
      share("largest piece, now", "region_share"),
      share("without it", "freed_alone"),
      share("without it and all larger", "freed_with_larger"),
      { label: "why", key: "reason" },
      { label: "would be freed by", key: "would_free" },
    ],
  });
  if (!rows.length) return data;
  const drawn = rows.reduce((sum, { names }) => sum + names.length, 0);
  return chart({
    name: "windows",
    how: "sampled",
    title: `What no cut may divide: ${drawn === plan.windows_count ? plural(drawn, "window") : `${number(drawn)} of ${plural(plan.windows_count, "window")}`}, from first to last access, largest first.`,
    note: "Times are averages over packets, which take different ways. Those in brackets are as many windows with the same ends.",
    controls: legend([
      ["window", "window"],
      ["write", "text"],
      ["read", "surface"],
    ]),
    draw: (width) => draw_windows(rows, plan.sites.length > 0, width),
    data,
  });
}

function draw_freed(counts, width) {
  return Plot.plot({
    ...base(width),
    height: 46 + 26 * counts.length,
    marginLeft: 130,
    marginRight: 50,
    marginBottom: 38,
    x: { label: "shared locations →", grid: true, tickFormat: (x) => (Number.isInteger(x) ? number(x) : "") },
    y: { label: null, domain: counts.map((row) => row.verdict), tickSize: 0 },
    marks: [
      Plot.barX(counts, {
        x: "count",
        y: "verdict",
        fill: (row) => colour(row.left ? "window" : "after"),
        insetTop: 3,
        insetBottom: 3,
      }),
      Plot.text(counts, {
        x: "count",
        y: "verdict",
        text: (row) => number(row.count),
        textAnchor: "start",
        dx: 5,
        fontWeight: 600,
      }),
    ],
  });
}

function freed_figure(plan, at) {
  if (!plan.relaxed.length) return null;
  const by_verdict = new Map();
  for (const { verdict } of plan.relaxed) by_verdict.set(verdict, (by_verdict.get(verdict) ?? 0) + 1);
  const windows = plan.windows.reduce((sum, window) => sum + window.locations, 0);
  const counts = [...by_verdict]
    .map(([verdict, count]) => ({ verdict, count }))
    .sort((a, b) => b.count - a.count);
  if (windows) counts.push({ verdict: "left: a window", count: windows, left: true });
  return chart({
    name: "relaxations",
    how: "analysed",
    title: `What each relaxation freed: ${plural(plan.relaxed_count, "shared location")} that would have a window without it.`,
    draw: (width) => draw_freed(counts, width),
    data: table({
      caption: "Freed locations",
      rows: plan.relaxed,
      path: `plan.bodies.${at}.relaxed`,
      limit: 300,
      columns: [
        { label: "location", key: "name" },
        { label: "by", key: "verdict" },
        { label: "because", key: "reason" },
      ],
    }),
  });
}

export const windows = {
  id: "windows",
  title: "Windows, and what was freed",
  short: "Windows",
  build: (report) =>
    per_body(report, (body) => {
      const parts = [
        body.plan.windows.length ? windows_figure(body) : null,
        freed_figure(body.plan, body.at),
      ].filter(Boolean);
      return parts.length ? h("div", {}, parts) : null;
    }),
};
