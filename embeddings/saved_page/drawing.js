// A saved answer: a figure of points, tables linked with it, a search. One function draws it, in a file or in a notebook.
// Everything that anybody typed goes through textContent; answer.schema.json is the contract.

const WIDTH = 520; // at most: a narrow screen has its own, so that letters keep their size
const HEIGHT = 480;
const EDGE = 34;
const LETTER = 7.9; // pixels, about
const LABELS_DRAWN = 120;
const SHORT = 34; // letters of a cell that is not broken into lines
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]; // of groups without one

function make(parent, name, className = "", text = "") {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}

function draw(parent, name, attributes, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}

const cut = (text) => (text.length > 70 ? `${text.slice(0, 69)}…` : text);

// where points are drawn: the same scale on both axes, so that distances are those of the plane
function places(points, width) {
  const xs = points.map((point) => point[1]);
  const ys = points.map((point) => point[2]);
  const low = [Math.min(...xs), Math.min(...ys)];
  const span = [Math.max(...xs) - low[0] || 1, Math.max(...ys) - low[1] || 1];
  const scale = Math.min((width - 4 * EDGE) / span[0], (HEIGHT - 2 * EDGE) / span[1]);
  const left = (width - scale * span[0]) / 2;
  const top = (HEIGHT - scale * span[1]) / 2;
  return points.map(([, x, y]) => [left + scale * (x - low[0]), HEIGHT - top - scale * (y - low[1])]);
}

// the first place next to each point at which its label meets no other, and no point if that can be; null where there is none
function placeLabels(points, at, items, sheetWidth) {
  const taken = [];
  const order = points.map((_, row) => row).sort((a, b) => points[b][4] - points[a][4] || a - b);
  const chosen = points.map(() => null);
  for (const row of order) {
    if (taken.length >= LABELS_DRAWN) break;
    const width = LETTER * cut(items[points[row][0]]).length;
    const [x, y] = at[row];
    const tried = [
      [x + 8, y - 7],
      [x - 8 - width, y - 7],
      [x - width / 2, y - 21],
      [x - width / 2, y + 7],
    ];
    const open = tried.filter(
      ([left, top]) =>
        left > 0 &&
        left + width < sheetWidth &&
        !taken.some(([l, t, w]) => left < l + w && l < left + width && top < t + 14 && t < top + 14),
    );
    const isOnPoint = ([left, top]) =>
      at.some(([px, py]) => left < px + 6 && px - 6 < left + width && top < py + 6 && py - 6 < top + 14);
    const free = open.find((place) => !isOnPoint(place)) ?? open[0];
    if (!free) continue;
    taken.push([...free, width]);
    chosen[row] = [free[0], free[1] + 11];
  }
  return chosen;
}

function drawFigure(parent, figure, items, choose) {
  const frame = make(parent, "figure");
  const legend = make(frame, "p", "legend");
  const colours = figure.groups.map(([, colour], number) => colour || COLOURS[number % COLOURS.length]);
  figure.groups.forEach(([group], number) => {
    if (!group) return;
    const name = make(legend, "span");
    const mark = draw(name, "svg", { width: 12, height: 12, "aria-hidden": "true" });
    draw(mark, "circle", { cx: 6, cy: 6, r: 5, fill: colours[number] });
    name.append(group);
  });
  const width = Math.min(WIDTH, frame.clientWidth || WIDTH);
  const sheet = draw(frame, "svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": figure.title });
  const at = places(figure.points, width);
  for (const [from, to] of figure.lines) {
    const [x1, y1] = at[from];
    const [x2, y2] = at[to];
    draw(sheet, "line", { x1, y1, x2, y2, class: "between" });
  }
  const labels = figure.labelled ? placeLabels(figure.points, at, items, width) : figure.points.map(() => null);
  figure.points.forEach(([item, , , group, strong], row) => {
    const [cx, cy] = at[row];
    draw(sheet, "circle", { cx, cy, r: strong ? 7 : 4.5, fill: colours[group], class: "point", "data-item": item });
  });
  figure.points.forEach(([item, , , , strong], row) => {
    const flip = at[row][0] > width / 2; // of a label that is shown on pointing alone
    const [x, y] = labels[row] ?? [at[row][0] + (flip ? -9 : 9), at[row][1] + 4];
    const kind = `point${strong ? " strong" : ""}${labels[row] ? "" : " hidden"}`;
    const end = !labels[row] && flip ? "end" : "start";
    draw(sheet, "text", { x, y, "text-anchor": end, class: kind, "data-item": item }, cut(items[item]));
  });
  sheet.addEventListener("click", (event) => {
    if (event.target.dataset.item) choose(Number(event.target.dataset.item));
  });
  if (figure.axes.length) make(frame, "figcaption", "", figure.axes.join(" · "));
}

function drawBar(cell, bar, [low, high]) {
  const place = (value) => (120 * (value - low)) / (high - low || 1);
  const sheet = draw(cell, "svg", { width: 122, height: 14, viewBox: "-1 0 122 14", "aria-hidden": "true" });
  const [from, to] = [place(0), place(bar[0])].sort((a, b) => a - b);
  draw(sheet, "rect", { x: from, y: 2, width: Math.max(1, to - from), height: 10, class: "bar" });
  if (bar.length > 2) draw(sheet, "path", { d: `M${place(bar[1])} 7H${place(bar[2])}`, class: "error" });
}

function drawTable(parent, table, items, choose) {
  const section = make(parent, "section");
  if (table.title) make(section, "h2", "", table.title).dir = "auto";
  const around = make(section, "div", "around");
  around.tabIndex = 0;
  around.setAttribute("role", "region");
  around.setAttribute("aria-label", table.title || table.columns.join(", "));
  const sheet = make(around, "table");
  const head = make(make(sheet, "thead"), "tr");
  const body = make(sheet, "tbody");
  const bars = table.rows.flatMap((row) => row[2] ?? []);
  const hasBars = (column) => bars.length && column === table.measure;
  table.columns.forEach((text, column) => {
    const name = make(head, "th", "", text);
    name.scope = "col";
    if (hasBars(column)) name.colSpan = 2;
  });
  const ends = [Math.min(0, ...bars), Math.max(0, ...bars)];
  return (from) => {
    const rows = from < 0 ? table.rows : (table.walk[from] ?? []);
    body.replaceChildren();
    for (const [item, cells, bar] of rows) {
      const line = make(body, "tr");
      line.dataset.item = item;
      cells.forEach((text, column) => {
        const cell = make(line, "td");
        const told = text ?? items[item];
        if (typeof told === "string" && told.length < SHORT) cell.className = "short";
        const host = column === 0 && item >= 0 ? make(cell, "button") : make(cell, "span");
        host.dir = "auto";
        if (host.type) host.type = "button";
        if (host.type) host.addEventListener("click", () => choose(item));
        if (typeof told === "string") host.textContent = told;
        else host.append(told[0], Object.assign(document.createElement("b"), { textContent: told[1] }), told[2]);
        if (hasBars(column)) drawBar(make(line, "td", "bars"), bar ?? [0], ends);
      });
    }
    return rows.map((row) => row[0]);
  };
}

export function drawAnswer(root, answer) {
  const { items, labels } = answer;
  root.classList.add("klyuch-answer");
  root.replaceChildren();
  let pinned = -1;
  const trail = [];
  const tools = make(root, "div", "tools");
  const search = make(make(tools, "label", "", `${labels.search} `), "input");
  search.type = "search";
  const way = make(tools, "div", "way");
  const told = make(root, "p", "told");
  told.setAttribute("role", "status");
  const stage = make(root, "div", answer.figure ? "stage" : "stage lists");
  const isEmpty = !answer.tables.some((table) => table.rows.length);
  const canWalk = answer.tables.some((table) => Object.keys(table.walk).length);

  function mark(item) {
    for (const node of stage.querySelectorAll(".marked")) node.classList.remove("marked");
    if (item < 0) return;
    for (const node of stage.querySelectorAll(`[data-item="${item}"]`)) node.classList.add("marked");
    for (const label of stage.querySelectorAll(`text[data-item="${item}"]`)) label.parentNode.append(label); // in front
  }

  function find() {
    const wanted = search.value.trim().toLocaleLowerCase();
    const found = new Set();
    for (const node of stage.querySelectorAll("[data-item]")) {
      const said = `${node.textContent} ${items[node.dataset.item] ?? ""}`.toLocaleLowerCase();
      const misses = !said.includes(wanted);
      node.classList.toggle("missed", misses);
      if (!misses) found.add(node.dataset.item < 0 ? node : node.dataset.item);
    }
    told.textContent = wanted ? labels.found.replace("{n}", found.size) : isEmpty ? labels.nothing : "";
  }

  function walk() {
    const at = trail.at(-1) ?? -1;
    const near = new Set([at, ...fills.flatMap((fill) => fill(at))].map(String));
    for (const node of stage.querySelectorAll(".point")) node.classList.toggle("far", at >= 0 && !near.has(node.dataset.item));
    way.replaceChildren();
    if (canWalk) {
      [-1, ...trail].forEach((item, step) => {
        const back = make(way, "button", "", item < 0 ? labels.start : items[item]);
        back.type = "button";
        back.addEventListener("click", () => {
          trail.length = step;
          pinned = item;
          walk();
        });
      });
      if (at >= 0) make(way, "span", "", labels.near.replace("{word}", items[at]));
    }
    find();
    mark(pinned);
  }

  function choose(item) {
    pinned = pinned === item && !canWalk ? -1 : item;
    if (canWalk && trail.at(-1) !== item) trail.push(item);
    walk();
  }

  if (answer.figure?.points.length) drawFigure(stage, answer.figure, items, choose);
  const lists = make(stage, "div", "tables");
  const fills = answer.tables.map((table) => drawTable(lists, table, items, choose));
  const itemOf = (event) => Number(event.target.closest?.("[data-item]")?.dataset.item ?? pinned);
  stage.addEventListener("pointerover", (event) => mark(itemOf(event)));
  stage.addEventListener("pointerleave", () => mark(pinned));
  stage.addEventListener("focusin", (event) => mark(itemOf(event)));
  search.addEventListener("input", find);
  walk();
}
