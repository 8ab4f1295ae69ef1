// The report: filters, the list of documents, of which only those in sight are elements, and the
// document that is read.

const ROW_HEIGHT = 92; // as in report.css
const N_ROWS_BEYOND = 6; // rows kept above and below those in sight, for smooth scrolling
const SNIPPET_LENGTH = 220;

const RIGHT = ["vc", "nn"];
const MATCH_WORDS = {
  exact: "word for word",
  normalized: "in another form",
  fuzzy: "nearly",
  none: "not in the text",
};

// --- the documents, as hpd.evaluation.report writes them ---

const ATTRIBUTES = DATA.attributes.map(([name, slot]) => ({ name, slot }));

const DOCUMENTS = DATA.documents.map((parts, number) => {
  const [id, category, text, attributes, segments, error, input, pages, ownId, checks] =
    parts;
  return {
    number,
    id,
    ownId: ownId === false ? null : ownId ?? id,
    category,
    text: text ?? null,
    attributes: attributes ?? [],
    segments: segments ?? [],
    error: error ?? null,
    input: input ?? [],
    pages: pages ?? [],
    checks: checks ?? [],
    haystack: null,
  };
});

/** The fields of a document one by one: an attribute's outcome is that of each of its values. */
function* fieldsOf(doc) {
  for (const [attribute, values, outcome = null, gold = null] of doc.attributes) {
    for (const [text = null, confidence = null, match = null, place = null, error = null,
      raw = null, truncated = null, isJson = null, page = null, where = null] of values) {
      yield {
        attribute,
        text,
        isJson: isJson === true,
        checked: null, // what the reader says: { text, isJson }
        page,
        boxes: Array.isArray(where) ? where : [],
        cell: typeof where === "string" ? where : null,
        confidence,
        match: match === null ? null : DATA.matches[match],
        place: place ?? ATTRIBUTES[attribute].name,
        error,
        raw,
        truncated,
        outcome: outcome === null ? null : DATA.outcomes[outcome],
        gold,
      };
    }
  }
}

for (const doc of DOCUMENTS) {
  doc.fields = [...fieldsOf(doc)];
  doc.lowest = Math.min(2, ...doc.fields.map((field) => field.confidence ?? 2));
  const wrong = doc.attributes.filter(
    ([, , outcome = null]) => outcome !== null && !RIGHT.includes(DATA.outcomes[outcome]),
  );
  doc.nWrong = wrong.length;
  doc.checkable = checkableOf(doc);
}
restoreChecked();

/** The attributes that can be gold: those whose values are all in the data. */
function checkableOf(doc) {
  let at = 0;
  return doc.attributes.flatMap(([attribute, values, , , form = 0]) => {
    const fields = doc.fields.slice(at, (at += values.length));
    const { name } = ATTRIBUTES[attribute];
    // A field that failed may have left nothing in the data.
    return typeof form === "number" && fields[0].place !== name ? [] : [{ name, form, fields }];
  });
}

// --- filters ---

const NO_FILTERS = {
  query: "",
  category: "",
  attribute: "",
  outcome: "",
  kinds: new Set(),
  range: null,
};
const filters = { ...NO_FILTERS, kinds: new Set() };
let lowBound = DATA.lowConfidence;
let order = "file";
let shown = []; // the documents that the filters leave, in order
let selected = null; // the document that is read

const IS_KIND = {
  null: (field, doc) => field.text === null && doc.error === null,
  ungrounded: (field) => field.text !== null && field.match === "none",
  low: (field) => field.confidence !== null && field.confidence < lowBound,
  error: (field, doc) => field.error !== null || doc.error !== null,
};

/** All conditions on fields, to be met by one and the same field. */
function fieldConditions() {
  const conditions = [...filters.kinds].map((kind) => IS_KIND[kind]);
  if (filters.attribute !== "") {
    const wanted = Number(filters.attribute);
    conditions.push((field) => field.attribute === wanted);
  }
  if (filters.outcome !== "") {
    const wanted = filters.outcome.split(" ");
    conditions.push((field) => wanted.includes(field.outcome));
  }
  if (filters.range !== null) {
    const [low, high] = filters.range;
    conditions.push(
      ({ confidence }) =>
        confidence !== null && confidence >= low && (confidence < high || high === 1),
    );
  }
  return conditions;
}

/** All that a document says, in small letters; made when it is searched first. */
function haystackOf(doc) {
  if (doc.haystack === null) {
    const values = doc.fields.map((field) => field.text ?? "");
    const input = doc.input.map(([, text]) => text);
    doc.haystack = [doc.id, doc.text ?? "", doc.error ?? "", ...values, ...input]
      .join("\n")
      .toLowerCase();
  }
  return doc.haystack;
}

function filtered() {
  const query = filters.query.trim().toLowerCase();
  const category = filters.category === "" ? null : Number(filters.category);
  const conditions = fieldConditions();
  const isOnlyError = conditions.length === 1 && filters.kinds.has("error");
  return DOCUMENTS.filter(
    (doc) =>
      (category === null || doc.category === category) &&
      (conditions.length === 0 ||
        (isOnlyError && doc.error !== null) ||
        doc.fields.some((field) => conditions.every((holds) => holds(field, doc)))) &&
      (query === "" || haystackOf(doc).includes(query)),
  );
}

const ORDERS = {
  file: null,
  confidence: (one, other) => one.lowest - other.lowest || one.number - other.number,
  wrong: (one, other) => other.nWrong - one.nWrong || one.number - other.number,
};

function nFilters() {
  const named = ["category", "attribute", "outcome"].filter((name) => filters[name] !== "");
  return named.length + filters.kinds.size + (filters.range !== null);
}

const nDocuments = (n) => n.toLocaleString("en");

/** Show what the filters leave, from the top; the document that is read stays if it is there. */
function applyFilters() {
  shown = filtered();
  if (ORDERS[order]) {
    shown.sort(ORDERS[order]);
  }
  const all = `${nDocuments(DOCUMENTS.length)} documents`;
  byId("n-shown").textContent =
    shown.length === DOCUMENTS.length ? all : `${nDocuments(shown.length)} of ${all}`;
  byId("clear").disabled = nFilters() === 0 && filters.query === "";
  byId("n-filters").textContent = nFilters() ? ` (${nFilters()})` : "";
  byId("rows").style.blockSize = `${Math.max(1, shown.length) * ROW_HEIGHT}px`;
  byId("list").scrollTop = 0;
  if (!shown.includes(selected)) {
    select(shown[0] ?? null, { scroll: false });
  }
  drawRows();
  scrollToRow(selected);
}

function clearFilters() {
  Object.assign(filters, NO_FILTERS, { kinds: new Set() });
  showControls();
  applyFilters();
}

/** Set the controls to what the filters are. */
function showControls() {
  for (const name of ["query", "category", "attribute", "outcome"]) {
    if (byId(name)) {
      byId(name).value = filters[name];
    }
  }
  for (const chip of document.querySelectorAll("[data-kind]")) {
    if (chip.dataset.kind === "range") {
      chip.hidden = filters.range === null;
      chip.textContent = filters.range ? `Confidence ${filters.range.join(" to ")}` : "";
    } else {
      chip.setAttribute("aria-pressed", filters.kinds.has(chip.dataset.kind));
    }
  }
}

// --- the list ---

const list = byId("list");

function rowOf(doc, place) {
  const row = element("div", {
    class: "row",
    role: "option",
    id: `row-${doc.number}`,
    "aria-selected": String(doc === selected),
    "aria-posinset": place + 1,
    "aria-setsize": shown.length,
    "data-number": doc.number,
  });
  row.style.insetBlockStart = `${place * ROW_HEIGHT}px`;
  const head = element(
    "div",
    { class: "row-head" },
    element("span", { class: "id" }, element("bdi", {}, doc.id)),
    element("span", { class: "category" }, element("bdi", {}, DATA.categories[doc.category])),
    marksOf(doc),
  );
  row.append(head, snippetOf(doc));
  return row;
}

/** What is remarkable of a document, at the end of its row. */
function marksOf(doc) {
  const marks = element("span", { class: "marks" });
  const nChecked = doc.fields.filter((field) => field.checked !== null).length;
  if (nChecked) {
    const all = nChecked === doc.fields.length ? "" : `${nChecked}/${doc.fields.length} `;
    marks.append(element("span", { class: "good", title: "checked" }, `${all}✓`), " ");
  }
  if (doc.nWrong) {
    marks.append(element("span", { class: "bad" }, `${doc.nWrong} not right`), " ");
  }
  if (doc.lowest <= 1) {
    const isLow = doc.lowest < lowBound;
    marks.append(
      element(
        "span",
        { class: isLow ? "number low" : "number", title: "the lowest confidence of its values" },
        `lowest ${share(doc.lowest)}`,
      ),
    );
  }
  return marks;
}

function snippetOf(doc) {
  if (doc.error !== null) {
    return element("div", { class: "snippet bad", dir: "auto" }, doc.error.slice(0, SNIPPET_LENGTH));
  }
  if (doc.text === null) {
    const values = doc.fields.map((field) => field.text).filter((text) => text !== null);
    return element("div", { class: "snippet", dir: "auto" }, values.join(" · ").slice(0, SNIPPET_LENGTH));
  }
  const slots = doc.fields.map((field) => ATTRIBUTES[field.attribute].slot);
  const end = cutAt(doc.text, SNIPPET_LENGTH);
  const pieces = markedText(doc.text, doc.segments, slots, null, end);
  return element("div", { class: "snippet", dir: "auto" }, ...pieces);
}

/** Make the rows in sight, and remove all others. */
function drawRows() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW_HEIGHT) - N_ROWS_BEYOND);
  const n = Math.ceil(list.clientHeight / ROW_HEIGHT) + 2 * N_ROWS_BEYOND;
  const rows = shown.slice(first, first + n).map((doc, i) => rowOf(doc, first + i));
  if (!rows.length) {
    rows.push(element("p", { class: "empty" }, "No document is like this."));
  }
  byId("rows").replaceChildren(...rows);
  showActive();
}

function showActive() {
  const row = selected && byId(`row-${selected.number}`);
  if (row) {
    list.setAttribute("aria-activedescendant", row.id);
  } else {
    list.removeAttribute("aria-activedescendant");
  }
}

function scrollToRow(doc) {
  const place = shown.indexOf(doc);
  if (place < 0) {
    return;
  }
  const top = place * ROW_HEIGHT;
  if (top < list.scrollTop) {
    list.scrollTop = top;
  } else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) {
    list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
  }
}

/** Read the document that is `by` places further in the list. */
function step(by) {
  if (!shown.length) {
    return;
  }
  const place = shown.indexOf(selected);
  const next = Math.min(shown.length - 1, Math.max(0, place + by));
  select(shown[next], { scroll: true });
}

const nInSight = () => Math.max(1, Math.floor(list.clientHeight / ROW_HEIGHT) - 1);

// --- the document that is read ---

function select(doc, { scroll }) {
  selected = doc;
  for (const row of byId("rows").querySelectorAll(".row")) {
    row.setAttribute("aria-selected", String(doc !== null && Number(row.dataset.number) === doc.number));
  }
  byId("detail").replaceChildren(...(doc === null ? [] : detailOf(doc)));
  byId("detail").scrollTop = 0;
  if (scroll) {
    scrollToRow(doc);
  }
  showActive();
  if (isReading() && doc === null) {
    stopReading();
  }
}

function detailOf(doc) {
  const back = element("button", { id: "back", class: "quiet" }, "← All");
  back.addEventListener("click", leave);
  const place = shown.indexOf(doc) + 1;
  const previous = element("button", { class: "quiet", "aria-label": "Previous document" }, "↑");
  const next = element("button", { class: "quiet", "aria-label": "Next document" }, "↓");
  previous.addEventListener("click", () => step(-1));
  next.addEventListener("click", () => step(1));
  const parts = [
    element(
      "div",
      { class: "detail-head" },
      back,
      element("h2", {}, element("bdi", {}, doc.id)),
      element("span", { class: "category" }, element("bdi", {}, DATA.categories[doc.category])),
      element(
        "span",
        { class: "steps" },
        place ? `${nDocuments(place)} of ${nDocuments(shown.length)}` : "",
        previous,
        next,
      ),
    ),
  ];
  if (doc.error !== null) {
    parts.push(element("p", { class: "failure", dir: "auto" }, doc.error));
  }
  for (const check of doc.checks) {
    parts.push(element("p", { class: "failure", dir: "auto" }, `check not passed: ${check}`));
  }
  const shows = [];
  if (doc.pages.length) {
    shows.push(pagesPane(doc.pages, doc.fields));
  }
  if (doc.text !== null) {
    const slots = doc.fields.map((field) => ATTRIBUTES[field.attribute].slot);
    const labels = doc.fields.map((field) => field.place);
    const pieces = markedText(doc.text, doc.segments, slots, labels);
    shows.push(
      element(
        "div",
        { class: "text", dir: "auto", tabindex: "0", role: "region", "aria-label": "Text" },
        ...pieces,
      ),
    );
  }
  const values = element("div", { class: "values-pane" });
  if (doc.fields.length) {
    values.append(valuesTable(doc));
  }
  byId("detail").classList.toggle("with-pages", doc.pages.length > 0);
  if (doc.pages.length) {
    const pane = element("div", { class: "source-pane" }, viewBar(doc), ...shows);
    parts.push(element("div", { class: "beside" }, pane, values));
    showView(pane);
  } else {
    parts.push(...shows, values);
  }
  if (doc.input.length) {
    const columns = doc.input.flatMap(([name, text]) => [
      element("dt", {}, name),
      element("dd", { dir: "auto" }, text),
    ]);
    values.append(
      element("details", { class: "input" }, element("summary", {}, "Other columns of the input"),
        element("dl", {}, ...columns)),
    );
  }
  return parts;
}

// --- the pages of a document, or its text ---

let view = "pages"; // or "text", for all documents that have both

/** The buttons above the pages. */
function viewBar(doc) {
  const button = (name, attributes, action) => {
    const made = element("button", attributes, name);
    made.addEventListener("click", action);
    return made;
  };
  const views = [["pages", doc.pages.length > 1 ? "Pages" : "Page"], ["text", "Text"]];
  return element(
    "div",
    { class: "view-bar" },
    element(
      "div",
      { class: "views", role: "group", "aria-label": "Show" },
      ...(doc.text === null ? [] : views).map(([name, word]) =>
        button(word, { "data-view": name }, () => setView(name))),
    ),
    button("−", { class: "quiet zoom", "aria-label": "Smaller" }, () => zoomPages(-1)),
    button("+", { class: "quiet zoom", "aria-label": "Larger" }, () => zoomPages(1)),
  );
}

function setView(name) {
  view = name;
  const pane = document.querySelector(".source-pane");
  if (pane) {
    showView(pane);
    pointOut(byId("detail"), pointedOut());
  }
}

function showView(pane) {
  const isText = view === "text" && pane.querySelector(".text") !== null;
  pane.classList.toggle("shows-text", isText);
  for (const button of pane.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String((button.dataset.view === "text") === isText));
  }
}

/** The numbers of the values that are pointed out. */
const pointedOut = () =>
  [...byId("detail").querySelectorAll("tr.active")].flatMap((row) => valuesOf(row));

// --- the values of a document, which the reader may correct ---

/** Draw the values again, after one of them was checked. */
function showChecked() {
  const values = pointedOut();
  document.querySelector("#detail .values").replaceWith(valuesTable(selected));
  pointOut(byId("detail"), values);
  storeChecked();
  drawRows();
  showSave();
}

function showSave(said = "") {
  const n = DOCUMENTS.filter((doc) => doc.checkable.some(isChecked)).length;
  byId("save").disabled = n === 0;
  byId("save").textContent = n ? `Save as gold (${nDocuments(n)})` : "Save as gold";
  byId("saved").textContent = said;
}

/** Accept a value as right, or take that back. */
function toggleChecked(field) {
  const { text, isJson } = field;
  field.checked = field.checked === null ? { text, isJson } : null;
  showChecked();
}

/** Accept all values of the document that are not checked yet. */
function acceptAll() {
  for (const field of selected?.fields ?? []) {
    field.checked ??= { text: field.text, isJson: field.isJson };
  }
  showChecked();
}

/** The row that is pointed out, or the first. */
const activeRow = () =>
  byId("detail").querySelector("tr.active") ?? byId("detail").querySelector("tr[data-values]");

function acceptActive() {
  const row = activeRow();
  if (!row) {
    return false;
  }
  const field = selected.fields[Number(row.dataset.values)];
  pointOut(byId("detail"), valuesOf(row));
  field.checked ??= { text: field.text, isJson: field.isJson };
  showChecked();
  return stepValue(byId("detail"), 1);
}

/** Let the reader write the value of a row. */
function edit(row) {
  const field = selected.fields[Number(row.dataset.values)];
  const kind = kindOf(field);
  const text = valueNow(field).text ?? "";
  const attributes = { "aria-label": field.place, autocomplete: "off" };
  const input =
    kind === "boolean"
      ? element("select", attributes, ...["", "true", "false"].map((value) =>
          element("option", { value, selected: value === text }, value || "none")))
      : kind === "number"
        ? element("input", { ...attributes, inputmode: "decimal", value: text })
        : element("textarea", { ...attributes, rows: 1, dir: "auto" }, text);
  const note = element("span", { class: "note bad", role: "status" });
  const take = (value) => {
    if (value === null) {
      note.textContent = `This is no ${kind}.`;
      input.focus();
      return;
    }
    field.checked = value;
    showChecked();
    list.focus();
  };
  const form = element(
    "form",
    { class: "edit" },
    input,
    element("button", {}, "Save"),
    element("button", { type: "button", class: "none" }, "None"),
    element("button", { type: "button", class: "quiet cancel" }, "Cancel"),
    note,
  );
  const cancel = () => {
    form.closest("table").replaceWith(valuesTable(selected));
    pointOut(byId("detail"), [row.dataset.values]);
    list.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    take(typed(input.value, kind));
  });
  form.querySelector(".none").addEventListener("click", () => take(typed("", kind)));
  form.querySelector(".cancel").addEventListener("click", cancel);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      cancel();
      event.stopPropagation();
    } else if (event.key === "Enter" && !event.shiftKey && event.target === input) {
      event.preventDefault();
      take(typed(input.value, kind));
    }
  });
  form.addEventListener("click", (event) => event.stopPropagation());
  pointOut(byId("detail"), valuesOf(row));
  row.querySelector(".value").replaceChildren(form);
  input.focus();
  input.select?.();
}

function editActive() {
  const row = activeRow();
  if (!row) {
    return false;
  }
  return edit(row);
}

function valuesTable(doc) {
  const has = {
    confidence: doc.fields.some((field) => field.confidence !== null),
    match: doc.fields.some((field) => field.match !== null || field.page !== null),
    gold: doc.fields.some((field) => field.outcome !== null),
  };
  const names = [
    "Attribute",
    "Value",
    has.confidence && "Confidence",
    has.match && "Found",
    has.gold && "Gold",
  ];
  const head = names.filter(Boolean).map((name) => element("th", { scope: "col" }, name));
  const accept = element("button", { class: "quiet", title: "All values are right (A)" }, "✓ All right");
  accept.addEventListener("click", acceptAll);
  head.push(element("th", { class: "actions", scope: "col" }, accept));
  let above = null; // the gold of an attribute stands beside the first of its values
  const rows = doc.fields.map((field, number) => {
    const isFirst = field.attribute !== above;
    above = field.attribute;
    return valueRow(field, number, has, isFirst);
  });
  return element(
    "table",
    { class: "values" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
}

function valueRow(field, number, has, isFirst) {
  const { slot } = ATTRIBUTES[field.attribute];
  const value = element("td", { class: "value" }, valueText(valueNow(field).text));
  if (isCorrected(field)) {
    value.append(element("span", { class: "note" }, "was: ", valueText(field.text)));
  }
  if (field.truncated) {
    value.append(element("span", { class: "note" }, "cut off at the limit of tokens"));
  }
  if (field.error !== null) {
    value.append(element("span", { class: "note bad", dir: "auto" }, field.error));
  }
  if (field.raw !== null) {
    value.append(element("span", { class: "note", dir: "auto" }, `the model wrote: ${field.raw}`));
  }
  const cells = [
    element(
      "th",
      { scope: "row" },
      element("span", { class: `swatch ${colorClasses(slot)}` }),
      element("bdi", {}, field.place),
    ),
    value,
  ];
  if (has.confidence) {
    const { confidence } = field;
    cells.push(
      element("td", {}, confidence === null ? null : confidenceBar(confidence, confidence < lowBound)),
    );
  }
  if (has.match) {
    const isMissing = field.text !== null && field.match === "none";
    const words = field.text === null ? "" : MATCH_WORDS[field.match] ?? "";
    const where = field.cell ?? (field.page === null ? "" : `page ${field.page}`);
    const parts = [words, where].filter(Boolean).join(", ");
    cells.push(element("td", { class: isMissing ? "bad" : "" }, parts));
  }
  if (has.gold) {
    cells.push(goldCell(isFirst ? field : { outcome: null }));
  }
  const isRight = field.checked !== null;
  const accept = element(
    "button",
    { class: "quiet accept", "aria-pressed": String(isRight), "aria-label": "Right", title: "Right (a)" },
    "✓",
  );
  accept.addEventListener("click", () => toggleChecked(field));
  const change = element("button", { class: "quiet", "aria-label": "Edit", title: "Edit (e)" }, "✎");
  change.addEventListener("click", (event) => edit(event.target.closest("tr")));
  cells.push(element("td", { class: "actions" }, accept, change));
  const row = element("tr", { "data-values": number, class: isRight ? "checked" : "" }, ...cells);
  row.addEventListener("dblclick", () => edit(row));
  return row;
}

function goldCell({ outcome, gold }) {
  if (outcome === null) {
    return element("td");
  }
  const isRight = RIGHT.includes(outcome);
  const cell = element(
    "td",
    {},
    element("span", { class: isRight ? "good" : "bad" }, `${isRight ? "✓" : "✗"} ${DATA.outcomeWords[outcome]}`),
  );
  if (!isRight) {
    const values = gold ?? [null];
    cell.append(...values.map((text) => element("span", { class: "note" }, "gold: ", valueText(text))));
  }
  return cell;
}

// --- on a narrow screen the document covers the list; the browser's way back leads to the list ---

const isReading = () => document.body.classList.contains("reading");
const isNarrow = () => matchMedia("(max-width: 760px)").matches;

function read() {
  if (isNarrow() && !isReading()) {
    history.pushState({ reading: true }, "");
    document.body.classList.add("reading");
  }
  byId("detail").focus();
}

function leave() {
  if (isReading()) {
    history.back();
  } else {
    list.focus();
  }
}

function stopReading() {
  document.body.classList.remove("reading");
  list.focus();
}

addEventListener("popstate", stopReading);

// --- overview ---

function showTab(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const isChosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !isChosen;
  }
  document.body.dataset.tab = name;
  if (name === "documents") {
    drawRows();
  }
}

const otherTab = () => (document.body.dataset.tab === "documents" ? "overview" : "documents");

/** Show the documents that a figure of the overview counts. */
function showDocumentsOf(chosen) {
  Object.assign(filters, NO_FILTERS, { kinds: new Set() }, chosen);
  showControls();
  showTab("documents");
  applyFilters();
  list.focus();
}

// --- all that can be clicked and pressed ---

for (const [number, name] of DATA.categories.entries()) {
  byId("category")?.append(element("option", { value: number }, name || "(none)"));
}
for (const [number, { name }] of ATTRIBUTES.entries()) {
  byId("attribute").append(element("option", { value: number }, name));
}
for (const name of ["query", "category", "attribute", "outcome"]) {
  byId(name)?.addEventListener("input", (event) => {
    filters[name] = event.target.value;
    applyFilters();
  });
}
for (const chip of document.querySelectorAll("[data-kind]")) {
  chip.addEventListener("click", () => {
    const { kind } = chip.dataset;
    if (kind === "range") {
      filters.range = null;
    } else if (!filters.kinds.delete(kind)) {
      filters.kinds.add(kind);
    }
    showControls();
    applyFilters();
  });
}
byId("bound").addEventListener("input", (event) => {
  const bound = event.target.valueAsNumber;
  if (bound >= 0 && bound <= 1) {
    lowBound = bound;
    applyFilters();
    select(selected, { scroll: false });
  }
});
byId("order").addEventListener("input", (event) => {
  order = event.target.value;
  selected = null;
  applyFilters();
});
byId("clear").addEventListener("click", clearFilters);
byId("open-filters").addEventListener("click", (event) => {
  const isOpen = event.target.closest(".filters").classList.toggle("open");
  byId("open-filters").setAttribute("aria-expanded", String(isOpen));
});
list.addEventListener("scroll", drawRows, { passive: true });
list.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) {
    select(DOCUMENTS[Number(row.dataset.number)], { scroll: true });
    read();
    if (!isNarrow()) {
      list.focus();
    }
  }
});
bindPointing(byId("detail"));
byId("save").addEventListener("click", () => showSave(saveGold()));
for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => showTab(tab.id.replace("tab-", "")));
  tab.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      showTab(otherTab());
      byId(`tab-${document.body.dataset.tab}`).focus();
      event.stopPropagation();
    }
  });
}
for (const bar of document.querySelectorAll(".bar")) {
  bar.addEventListener("click", () =>
    showDocumentsOf({ range: [Number(bar.dataset.low), Number(bar.dataset.high)] }),
  );
}
for (const button of document.querySelectorAll("[data-attribute]")) {
  button.addEventListener("click", () => showDocumentsOf({ attribute: button.dataset.attribute }));
}
addEventListener("resize", drawRows);

/** A key that moves in the list does so wherever the focus is, but not in what scrolls itself. */
function inList(action) {
  return (event) => {
    const scrolls = event.target.closest("#detail, #overview");
    if (document.body.dataset.tab !== "documents" || (scrolls && event.key.length > 1)) {
      return false;
    }
    return action();
  };
}

bindKeys({
  ArrowDown: inList(() => step(1)),
  ArrowUp: inList(() => step(-1)),
  j: inList(() => step(1)),
  k: inList(() => step(-1)),
  PageDown: inList(() => step(nInSight())),
  PageUp: inList(() => step(-nInSight())),
  Home: inList(() => step(-shown.length)),
  End: inList(() => step(shown.length)),
  Enter: (event) => (event.target === list ? read() : false),
  n: inList(() => stepValue(byId("detail"), 1)),
  p: inList(() => stepValue(byId("detail"), -1)),
  e: inList(editActive),
  a: inList(acceptActive),
  A: inList(acceptAll),
  v: inList(() => setView(view === "text" ? "pages" : "text")),
  "+": inList(() => zoomPages(1)),
  "-": inList(() => zoomPages(-1)),
  "/": () => {
    showTab("documents");
    byId("query").focus();
  },
  o: () => showTab(otherTab()),
  Escape: (event) => {
    if (isReading() || event.target.closest("#detail, .filters")) {
      leave();
    } else {
      clearFilters();
    }
  },
});

showTab("documents");
applyFilters();
showSave();
