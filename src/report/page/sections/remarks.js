// Every remark with its reason code, to be filtered.
import { datum, h, number } from "../dom.js";

function item(remark, index) {
  return h(
    "li",
    { "data-code": remark.code },
    h(
      "p",
      {},
      h("code", { class: "code-name" }, datum(remark.code, remark.code, `plan.remarks.${index}.code`)),
      " ",
      h("span", { class: "where" }, remark.where),
    ),
    h("p", {}, remark.what),
    remark.hint ? h("p", { class: "note" }, `Hint: ${remark.hint}`) : null,
  );
}

export const remarks = {
  id: "remarks",
  title: "Remarks",
  build({ plan }) {
    if (!plan.remarks.length) return null;
    const items = plan.remarks.map(item);
    const counts = new Map();
    for (const { code } of plan.remarks) counts.set(code, (counts.get(code) ?? 0) + 1);
    const status = h("p", { class: "note", role: "status" });
    const text = h("input", {
      type: "search",
      id: "remark-text",
      placeholder: "text, file or code",
      oninput: () => filter(),
    });
    const buttons = [...counts]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([code, count]) =>
        h(
          "button",
          {
            type: "button",
            "aria-pressed": "false",
            value: code,
            onclick: ({ currentTarget }) => {
              currentTarget.setAttribute(
                "aria-pressed",
                String(currentTarget.getAttribute("aria-pressed") !== "true"),
              );
              filter();
            },
          },
          `${code} `,
          h("span", { class: "count" }, number(count)),
        ),
      );
    function filter() {
      const chosen = new Set(
        buttons
          .filter((button) => button.getAttribute("aria-pressed") === "true")
          .map((button) => button.value),
      );
      const wanted = text.value.toLowerCase();
      let shown = 0;
      for (const element of items) {
        element.hidden =
          (chosen.size > 0 && !chosen.has(element.dataset.code)) ||
          !element.textContent.toLowerCase().includes(wanted);
        if (!element.hidden) ++shown;
      }
      status.textContent = `${number(shown)} of ${number(items.length)} shown`;
    }
    filter();
    return [
      h(
        "div",
        { class: "filter" },
        h("label", { for: "remark-text" }, "Find "),
        text,
        h("div", { class: "codes", role: "group", "aria-label": "Reason codes" }, buttons),
      ),
      status,
      h("ul", { class: "remarks" }, items),
    ];
  },
};
