// What was compared, run by run.
import { h, number, table } from "../dom.js";

function difference({ difference: found }) {
  if (!found) return null;
  return h(
    "div",
    { class: "difference" },
    h("p", {}, `First difference of ${found.variant}: ${found.channel}, byte ${number(found.offset)}`),
    h("pre", {}, `expected: ${found.expected}\ngot:      ${found.actual}`),
  );
}

export const outputs = {
  id: "outputs",
  title: "Outputs",
  build({ verify }) {
    if (!verify) return null;
    const count = (label, key) => ({ label, key, numeric: true, format: (value) => number(value) });
    return [
      difference(verify),
      table({
        caption: "Runs that were compared (measured)",
        path: "verify.runs",
        rows: verify.runs,
        columns: [
          { label: "run", key: "name" },
          count("status", "exit_status"),
          count("stdout, bytes", "stdout_bytes"),
          count("stderr, bytes", "stderr_bytes"),
          count("files", "files"),
          count("bytes in files", "file_bytes"),
        ],
      }),
    ];
  },
};
