// Small helpers for elements, text and numbers. Everything that anybody typed goes through textContent.

const SVG = "http://www.w3.org/2000/svg";
const FONT = DRAWING.size;
const COLOURS = ["var(--klyuch-first)", "var(--klyuch-second)"]; // by segment: first and second sentence
const ruler = document.createElement("canvas").getContext("2d");

function make(parent, name, className = "", text = "") {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}

// style: properties that may hold a variable of the theme; save.js puts ink on paper in its place
function draw(parent, name, attributes = {}, style = {}, text = "") {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  for (const [key, value] of Object.entries(style)) node.style.setProperty(key, value);
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}

function canvas(host, width, height, label) {
  return draw(
    host,
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "group", "aria-label": label },
    { "font-family": "var(--klyuch-font)", "font-size": `${FONT}px` },
  );
}

const widths = new Map();

function widthOf(text, size = FONT) {
  const known = `${size} ${text}`;
  if (!widths.has(known)) {
    if (widths.size > 20_000) widths.clear();
    ruler.font = `${size}px sans-serif`;
    widths.set(known, ruler.measureText(text).width * 1.06);
  }
  return widths.get(known);
}

function clip(text, width, size = FONT) {
  if (widthOf(text, size) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && widthOf(`${letters.join("")}…`, size) > width) letters.pop();
  return `${letters.join("")}…`;
}

function write(parent, unit, x, y, width, attributes = {}) {
  const shown = clip(unit.text, width, Number(attributes["font-size"] || FONT));
  const text = draw(
    parent,
    "text",
    { x, y, "dominant-baseline": "central", ...attributes },
    { fill: unit.special ? "var(--klyuch-muted)" : "var(--klyuch-ink)" },
    shown,
  );
  if (shown !== unit.text) draw(text, "title", {}, {}, unit.text);
  return text;
}

function fill(sentence, fields) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? fields[name] : whole));
}

function number(value, language, digits = 3) {
  return value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
