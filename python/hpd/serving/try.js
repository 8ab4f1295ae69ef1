// A text and a schema go to the server, and the values come back with their places.

/** The schema as it was typed: JSON if it is some, else the one-line form; nothing for the server's. */
function typedSchema() {
  const typed = byId("schema").value.trim();
  if (!/^[[{]/.test(typed)) {
    return typed || undefined;
  }
  return JSON.parse(typed);
}

/** The answer of the server, which may be an error. */
async function asked(text) {
  const headers = { "Content-Type": "application/json" };
  if (DATA.needsKey) {
    headers.Authorization = `Bearer ${byId("key").value}`;
  }
  const body = JSON.stringify({ text, schema: typedSchema() });
  const answer = await fetch("show", { method: "POST", headers, body });
  const content = await answer.json();
  if (!answer.ok) {
    throw new Error(content.error.message);
  }
  return content;
}

/** The request that would be sent now, as JSON and as a command for a shell. */
function showRequest() {
  let body;
  try {
    body = { text: byId("text").value, schema: typedSchema() };
  } catch (error) {
    byId("json").textContent = error.message;
    byId("curl").textContent = "";
    return;
  }
  const key = DATA.needsKey ? ' -H "Authorization: Bearer $HPD_API_KEY"' : "";
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''");
  byId("json").textContent = JSON.stringify(body, null, 2);
  byId("curl").textContent =
    `curl -s ${new URL("extract", location.href)} -H 'Content-Type: application/json'${key} \\\n  -d '${quoted}'`;
}

/** The text with its values marked, and the table of the values. */
function shown(text, { values, segments, line }) {
  const slots = values.map((value) => value[1]);
  const labels = values.map((value) => value[0]);
  const rows = values.map(([place, slot, value, confidence, error], number) =>
    element(
      "tr",
      { "data-values": String(number) },
      element(
        "th",
        { scope: "row" },
        element("span", { class: `swatch ${colorClasses(slot)}` }),
        element("bdi", {}, place),
      ),
      element(
        "td",
        {},
        valueText(value),
        error ? element("span", { class: "note bad", dir: "auto" }, error) : null,
      ),
      element("td", { class: "number" }, confidence === null ? null : confidenceBar(confidence, confidence < 0.5)),
    ),
  );
  const names = ["Attribute", "Value", "Confidence"];
  const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
  return [
    line.error ? element("p", { class: "bad", dir: "auto" }, line.error.message) : null,
    element("div", { class: "text", dir: "auto" }, ...markedText(text, segments, slots, labels)),
    element("table", { class: "values" }, element("thead", {}, head), element("tbody", {}, ...rows)),
  ].filter((each) => each !== null);
}

async function extract() {
  const text = byId("text").value;
  showRequest();
  byId("run").disabled = true;
  byId("message").hidden = true;
  try {
    byId("result").replaceChildren(...shown(text, await asked(text)));
  } catch (error) {
    byId("result").replaceChildren();
    byId("message").textContent = error.message;
    byId("message").hidden = false;
  }
  byId("run").disabled = false;
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  extract();
});
byId("form").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    byId("form").requestSubmit();
  }
});
byId("form").addEventListener("input", showRequest);
showRequest();
bindPointing(byId("result"));
bindKeys({ n: () => stepValue(byId("result"), 1), p: () => stepValue(byId("result"), -1) });
