// The pages of a document as pictures, with boxes around its values.

const ZOOMS = [1, 1.25, 1.6, 2, 2.5, 3.2];
let zoom = 0; // the index of the one that is used

/**
 * The pictures of a document's pages, which are loaded when they come into sight.
 *
 * `pages` are [number, width, height, address], in the points of the boxes of `fields`.
 */
function pagesPane(pages, fields) {
  const pane = element("div", {
    class: "pages",
    tabindex: "0",
    role: "region",
    "aria-label": "Pages",
  });
  let before = 0;
  for (const [number, width, height, address] of pages) {
    if (number > before + 1) {
      const first = before + 1;
      const last = number - 1;
      const which = first === last ? `Page ${first} has` : `Pages ${first} to ${last} have`;
      pane.append(element("p", { class: "gap" }, `${which} no values.`));
    }
    before = number;
    const picture = element("img", {
      loading: "lazy", // before its address, or it would be loaded at once
      decoding: "async",
      alt: `Page ${number}`,
      width: Math.round(width),
      height: Math.round(height),
      src: address,
    });
    const sheet = element("div", { class: "sheet" }, picture, ...boxesOn(number, width, height, fields));
    pane.append(sheet);
  }
  pane.style.setProperty("--zoom", ZOOMS[zoom]);
  return pane;
}

/** The boxes of the values on a page, the large ones below the small ones. */
function boxesOn(page, width, height, fields) {
  const found = fields.flatMap((field, number) =>
    field.page === page ? field.boxes.map((box) => ({ box, field, number })) : [],
  );
  const area = ({ box: [left, top, right, bottom] }) => (right - left) * (bottom - top);
  found.sort((one, other) => area(other) - area(one));
  return found.map(({ box: [left, top, right, bottom], field, number }) => {
    const made = element("div", {
      class: `box ${colorClasses(ATTRIBUTES[field.attribute].slot)}`,
      "data-values": number,
      title: field.place,
    });
    made.style.left = `${(100 * left) / width}%`;
    made.style.top = `${(100 * top) / height}%`;
    made.style.width = `${(100 * (right - left)) / width}%`;
    made.style.height = `${(100 * (bottom - top)) / height}%`;
    return made;
  });
}

/** Show the pages `by` steps larger, with the same part in the middle. */
function zoomPages(by) {
  const pane = document.querySelector(".pages");
  const next = Math.min(ZOOMS.length - 1, Math.max(0, zoom + by));
  if (!pane || next === zoom) {
    return;
  }
  const factor = ZOOMS[next] / ZOOMS[zoom];
  const middle = (at, size) => (at + size / 2) * factor - size / 2;
  const left = middle(pane.scrollLeft, pane.clientWidth);
  const top = middle(pane.scrollTop, pane.clientHeight);
  zoom = next;
  pane.style.setProperty("--zoom", ZOOMS[zoom]);
  pane.scrollTo(left, top);
}
