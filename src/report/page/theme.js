// Light or dark: the system's choice until the reader makes one.
import { h } from "./dom.js";

export function theme_button() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = h("button", { type: "button", class: "theme" });
  const show = () => {
    const now = document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
    const other = now === "dark" ? "light" : "dark";
    button.textContent = other === "dark" ? "Dark" : "Light";
    button.setAttribute("aria-label", `Show in ${other} colours`);
    return other;
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = show();
    show();
  });
  dark.addEventListener("change", show);
  show();
  return button;
}
