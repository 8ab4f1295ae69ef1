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

byId("theme").addEventListener("click", nextTheme);
byId("keys").addEventListener("click", () => byId("help").showModal());
setTheme(THEMES.includes(storedTheme()) ? storedTheme() : "system");
