// The view of a document. Everything that a document says goes in as the text of an element.

/** An element with attributes and children; strings become text, nothing is ever markup. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The classes of an attribute's color; hpd.pages.colors numbers them. */
function colorClasses(slot) {
  return `color-${slot % 8} line-${Math.floor(slot / 8)}`;
}

/** A number between 0 and 1 as it is shown everywhere. */
function share(value) {
  return value.toFixed(2);
}

/**
 * The text with its values marked, as far as `end`.
 *
 * `segments` are [start, end, numbers of the values, numbers of those that end here], in UTF-16 code
 * units; `slots` and `labels` are the values' colors and names. Without labels, none are shown.
 */
function markedText(text, segments, slots, labels, end = text.length) {
  const pieces = [];
  let at = 0;
  for (const [from, to, values, ending] of segments) {
    if (from >= end) {
      break;
    }
    pieces.push(text.slice(at, from));
    at = Math.min(to, end);
    const inner = values[values.length - 1];
    const names = labels ? ending.map((value) => labels[value]).filter(Boolean) : [];
    pieces.push(
      element(
        "mark",
        {
          class: colorClasses(slots[inner]) + (values.length > 1 ? " inside" : ""),
          "data-values": values.join(" "),
          "data-label": names.length && to <= end ? names.join(" · ") : null,
        },
        text.slice(from, at),
      ),
    );
  }
  pieces.push(text.slice(at, end));
  return pieces.filter((piece) => piece !== "");
}

/** Where a text can be cut near `length` without tearing a character in two. */
function cutAt(text, length) {
  if (text.length <= length) {
    return text.length;
  }
  const unit = text.charCodeAt(length);
  return unit >= 0xdc00 && unit <= 0xdfff ? length + 1 : length;
}

/** A value, or that there is none. */
function valueText(text) {
  return text === null
    ? element("span", { class: "nothing" }, "none")
    : element("bdi", { dir: "auto" }, text);
}

const SVG = "http://www.w3.org/2000/svg";

/** A confidence as a short bar and a number. */
function confidenceBar(confidence, isLow) {
  const bar = document.createElementNS(SVG, "svg");
  bar.setAttribute("class", "confidence-bar");
  bar.setAttribute("viewBox", "0 0 100 10");
  bar.setAttribute("preserveAspectRatio", "none");
  bar.setAttribute("aria-hidden", "true");
  for (const [name, width] of [["all", 100], ["part", 100 * confidence]]) {
    const rect = document.createElementNS(SVG, "rect");
    rect.setAttribute("class", name);
    rect.setAttribute("width", width);
    rect.setAttribute("height", 10);
    bar.append(rect);
  }
  return element("span", { class: isLow ? "number low" : "number" }, bar, share(confidence));
}
