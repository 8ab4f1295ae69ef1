// Values that the reader has checked: accepted as right, or corrected. Together they are gold.

/** What a field says by now: its own value, or the reader's. */
const valueNow = (field) => field.checked ?? field;

const isCorrected = ({ checked, text }) => checked !== null && checked.text !== text;

/** A field's value as JSON. */
function leafJson(field) {
  const { text, isJson } = valueNow(field);
  return text === null ? "null" : isJson ? text : JSON.stringify(text);
}

/**
 * The values of an attribute as JSON, in their form: the index of a field, or a list or an object of
 * forms. An item of a list that is none is no item.
 */
function formJson(form, fields) {
  if (typeof form === "number") {
    return leafJson(fields[form]);
  }
  if (Array.isArray(form)) {
    const isItem = (item) => typeof item !== "number" || valueNow(fields[item]).text !== null;
    return `[${form.filter(isItem).map((item) => formJson(item, fields)).join(",")}]`;
  }
  const parts = Object.entries(form).map(
    ([name, inner]) => `${JSON.stringify(name)}:${formJson(inner, fields)}`,
  );
  return `{${parts.join(",")}}`;
}

/** The numbers of the fields in a form. */
function inForm(form) {
  return typeof form === "number" ? [form] : Object.values(form).flatMap(inForm);
}

/** Whether all values of an attribute are checked. */
const isChecked = ({ form, fields }) =>
  inForm(form).every((index) => fields[index].checked !== null);

/** The line of gold of a document: its checked attributes; null if it has none. */
function goldLine(doc) {
  const gold = doc.checkable.filter(isChecked);
  if (!gold.length) {
    return null;
  }
  const values = gold.map(
    ({ name, form, fields }) => `${JSON.stringify(name)}:${formJson(form, fields)}`,
  );
  const parts = [
    doc.ownId === null ? null : `"id":${JSON.stringify(doc.ownId)}`,
    DATA.categories[doc.category] && `"category":${JSON.stringify(DATA.categories[doc.category])}`,
    doc.text === null ? null : `"text":${JSON.stringify(doc.text)}`,
    `"gold":{${values.join(",")}}`,
  ];
  return `{${parts.filter(Boolean).join(",")}}\n`;
}

/** The kind of a field's values: string, number or boolean, as those of other documents tell. */
function kindOf(field) {
  const form = ({ place }) => place.replace(/\[\d+\]/g, "[]");
  const kind = ({ text, isJson }) => (isJson ? typeof JSON.parse(text) : "string");
  const alike = DOCUMENTS.flatMap((doc) => doc.fields).find(
    (other) =>
      other.text !== null && other.attribute === field.attribute && form(other) === form(field),
  );
  return field.text !== null ? kind(field) : alike ? kind(alike) : "string";
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** A checked value out of what was typed; null if it is none of its kind. */
function typed(text, kind) {
  if (text === "") {
    return { text: null, isJson: false };
  }
  if (kind === "string") {
    return { text, isJson: false };
  }
  const isValid = kind === "number" ? NUMBER.test(text.trim()) : ["true", "false"].includes(text);
  return isValid ? { text: text.trim(), isJson: true } : null;
}

// --- what was checked stays in the browser, where it may ---

const STORED = `hpd-checked ${location.pathname}`;

function storeChecked() {
  const rows = DOCUMENTS.flatMap((doc) =>
    doc.fields
      .filter((field) => field.checked !== null)
      .map(({ place, text, checked }) => [doc.id, place, text, checked.text, checked.isJson]),
  );
  try {
    if (rows.length) {
      localStorage.setItem(STORED, JSON.stringify(rows));
    } else {
      localStorage.removeItem(STORED);
    }
  } catch {
    // It then holds for as long as the page is open.
  }
}

/** Take what was checked before, where the values are still the same. */
function restoreChecked() {
  let known;
  try {
    const rows = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    known = new Map(rows.map(([id, place, ...rest]) => [JSON.stringify([id, place]), rest]));
  } catch {
    return;
  }
  for (const doc of known.size ? DOCUMENTS : []) {
    for (const field of doc.fields) {
      const [before, text, isJson] = known.get(JSON.stringify([doc.id, field.place])) ?? [];
      if (before === field.text) {
        field.checked = { text, isJson };
      }
    }
  }
}

/** Download the gold of all documents, and return what to say about it. */
function saveGold() {
  const lines = DOCUMENTS.map(goldLine).filter((line) => line !== null);
  const link = element("a", {
    href: URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" })),
    download: `${DATA.source.replace(/(\.\w+)+$/, "")}.gold.jsonl`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  const nPartly = DOCUMENTS.filter(
    (doc) => doc.checkable.some(isChecked) && !doc.checkable.every(isChecked),
  ).length;
  const partly = nPartly
    ? `; ${nPartly} checked in part: fine-tune with --unnamed skip`
    : "";
  const documents = lines.length === 1 ? "document" : "documents";
  return `Gold of ${lines.length} ${documents} saved${partly}.`;
}
