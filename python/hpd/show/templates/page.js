// What every page has: its data, its theme, its keys.

const DATA = JSON.parse(document.getElementById("data").textContent);

const byId = (id) => document.getElementById(id);

const THEMES = ["system", "light", "dark"];

/** The theme that was chosen last; pages opened from a disk may have no storage. */
function storedTheme() {
  try {
    return localStorage.getItem("hpd-theme");
  } catch {
    return null;
  }
}

function setTheme(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  byId("theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("hpd-theme", theme);
  } catch {
    // It then holds for as long as the page is open.
  }
}

function nextTheme() {
  const now = document.documentElement.dataset.theme ?? "system";
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
}

/**
 * Call `actions[key]` where a key is pressed outside of fields that take text.
 *
 * What is pressed with a modifier belongs to the browser.
 */
function bindKeys(actions) {
  const all = { t: nextTheme, "?": () => byId("help").showModal(), ...actions };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) {
      return;
    }
    const writes = event.target.matches("input:not([type=checkbox]), textarea, select");
    if ((!writes || event.key === "Escape") && Object.hasOwn(all, event.key)) {
      const used = all[event.key](event);
      if (used !== false) {
        event.preventDefault();
      }
    }
  });
}

/** The numbers of the values that an element shows. */
const valuesOf = (shown) => shown.dataset.values.split(" ");

/** Point out some values, in the text, on the pages and in the table of `container`. */
function pointOut(container, values) {
  const all = [...container.querySelectorAll("[data-values]")];
  const chosen = all.filter((each) => valuesOf(each).some((value) => values.includes(value)));
  for (const each of all) {
    each.classList.toggle("active", chosen.includes(each));
  }
  for (const kind of ["tr", "mark", ".box"]) {
    const first = chosen.find((each) => each.matches(kind));
    first?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** Point out the value `by` rows further in the table. */
function stepValue(container, by) {
  const rows = [...container.querySelectorAll("tr[data-values]")].filter((row) => row.offsetParent);
  if (rows.length) {
    const now = rows.findIndex((row) => row.classList.contains("active"));
    const next = now < 0 ? (by > 0 ? 0 : rows.length - 1) : (now + by + rows.length) % rows.length;
    pointOut(container, valuesOf(rows[next]));
  }
}

/** A click on a value points out where else it is shown. */
function bindPointing(container) {
  container.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-values]");
    if (chosen && container.contains(chosen)) {
      // Of values in each other, the inner one.
      pointOut(container, chosen.matches("mark") ? valuesOf(chosen).slice(-1) : valuesOf(chosen));
    }
  });
}

byId("theme").addEventListener("click", nextTheme);
byId("keys").addEventListener("click", () => byId("help").showModal());
setTheme(THEMES.includes(storedTheme()) ? storedTheme() : "system");
