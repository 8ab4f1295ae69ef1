// The comparison: one trial at a time. A verdict is kept by the server before the next is shown.

const TRIALS = DATA.trials;

const trialPart = byId("trial");
let at = nextOpen(0);
let shownAt = performance.now();
let isSaving = false;

/** The first trial without a verdict, from `start` on and then from the beginning; or their end. */
function nextOpen(start) {
  for (let i = 0; i < TRIALS.length; i++) {
    const number = (start + i) % TRIALS.length;
    if (TRIALS[number].verdict === null) {
      return number;
    }
  }
  return TRIALS.length;
}

function show() {
  const nJudged = TRIALS.filter((trial) => trial.verdict !== null).length;
  byId("progress").value = nJudged;
  byId("n-judged").textContent = `${nJudged} of ${TRIALS.length} judged`;
  byId("back").disabled = at === 0;
  const trial = TRIALS[at];
  trialPart.replaceChildren(...(trial ? trialParts(trial) : finishedParts()));
  for (const button of document.querySelectorAll("[data-verdict]")) {
    button.disabled = !trial;
    button.setAttribute("aria-pressed", String(button.dataset.verdict === trial?.verdict));
  }
  document.querySelector("main").scrollTop = 0;
  shownAt = performance.now();
}

function trialParts(trial) {
  // Value 2 i is the left one of row i, and 2 i + 1 the right one.
  const slots = trial.rows.flatMap(([, slot]) => [slot, slot]);
  const labels = trial.rows.flatMap(([place, , left, right]) =>
    left === right ? [place, ""] : [`${place} ←`, `${place} →`],
  );
  const text = element(
    "div",
    { class: "text", dir: "auto", tabindex: "0", role: "region", "aria-label": "Document" },
    ...markedText(trial.text, trial.segments, slots, labels),
  );
  const rows = trial.rows.map(([place, slot, left, right], i) =>
    element(
      "tr",
      { class: left === right ? "same" : "differs", "data-values": `${2 * i} ${2 * i + 1}` },
      element(
        "th",
        { scope: "row" },
        element("span", { class: `swatch ${colorClasses(slot)}` }),
        element("bdi", {}, place),
      ),
      element("td", {}, valueText(left)),
      element("td", {}, valueText(right)),
    ),
  );
  const heads = ["Attribute", "Left", "Right"].map((name) => element("th", { scope: "col" }, name));
  const table = element(
    "table",
    { class: "values" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
  return [text, table];
}

function finishedParts() {
  return [
    element(
      "div",
      { class: "finished" },
      element("h2", {}, "All documents are judged. Thank you."),
      element("p", {}, "Back changes a verdict; Stop ends the session."),
    ),
  ];
}

function say(message) {
  byId("message").hidden = message === null;
  byId("message").textContent = message ?? "";
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) {
    throw new Error(await answer.text());
  }
}

async function judge(verdict) {
  if (isSaving || !TRIALS[at]) {
    return;
  }
  isSaving = true;
  try {
    const seconds = (performance.now() - shownAt) / 1000;
    await post("/judgement", { trial: at, verdict, seconds });
    TRIALS[at].verdict = verdict;
    at = nextOpen(at + 1);
    say(null);
    show();
    trialPart.focus({ preventScroll: true });
  } catch (error) {
    say(`The verdict is not saved: ${error.message}. Is hpd compare still running?`);
  } finally {
    isSaving = false;
  }
}

async function stop() {
  try {
    await post("/stop", {});
    trialPart.replaceChildren(
      element("div", { class: "finished" }, element("h2", {}, "Stopped. This page can be closed.")),
    );
    document.querySelector("footer").hidden = true;
    byId("stop").disabled = true;
  } catch (error) {
    say(`Not stopped: ${error.message}`);
  }
}

function back() {
  at = Math.max(0, at - 1);
  show();
}

function forward() {
  at = nextOpen(at + 1);
  show();
}

function toggleDifferences() {
  const isOn = trialPart.classList.toggle("only-differences");
  byId("differences").setAttribute("aria-pressed", String(isOn));
}

for (const button of document.querySelectorAll("[data-verdict]")) {
  button.addEventListener("click", () => judge(button.dataset.verdict));
}
byId("back").addEventListener("click", back);
byId("forward").addEventListener("click", forward);
byId("differences").addEventListener("click", toggleDifferences);
byId("stop").addEventListener("click", stop);
bindPointing(trialPart);

bindKeys({
  1: () => judge("win"),
  2: () => judge("tie"),
  3: () => judge("loss"),
  ArrowLeft: () => judge("win"),
  ArrowDown: () => judge("tie"),
  ArrowRight: () => judge("loss"),
  b: back,
  Backspace: back,
  f: forward,
  d: toggleDifferences,
  n: () => stepValue(trialPart, 1),
  p: () => stepValue(trialPart, -1),
});

show();
