// Two columns of words, a line from each word to what it looks at: the stronger, the darker and thicker.

const VALUES = 52; // pixels beside each column for the weights of the word pointed at

function drawLines(host, panel, matrix, { top, language, labels, say, word, choose }) {
  const width = Math.min(host.clientWidth, 820);
  const long = Math.max(panel.from.length, panel.to.length) > DRAWING.long;
  const row = long ? DRAWING.row_long : DRAWING.row;
  const size = long ? DRAWING.line_size_long : DRAWING.line_size;
  const head = 24; // for the names of the columns
  const height = head + Math.max(panel.from.length, panel.to.length) * row + 8;
  const widest = Math.max(...[...panel.from, ...panel.to].map((unit) => widthOf(unit.text, size)));
  const column = Math.min(widest + DRAWING.margin, width * 0.34 - VALUES / 2);
  const left = VALUES + column;
  const right = width - VALUES - column;
  const svg = canvas(host, width, height, `${labels.lines}: ${panel.title}`);
  const y = (index) => head + row * (index + 0.5);
  const named = { y: 10, "dominant-baseline": "central", "font-size": DRAWING.small };
  const muted = { fill: "var(--klyuch-muted)" };
  draw(svg, "text", { ...named, x: left, "text-anchor": "end" }, muted, labels.from);
  draw(svg, "text", { ...named, x: right }, muted, labels.to);
  const middle = (left + right) / 2;
  const line = (parent, from, to, strength) => {
    const [thickness, opacity] = strokeOf(strength);
    const d = fill(DRAWING.curve, { left, middle, right, start: y(from), end: y(to) });
    draw(
      parent,
      "path",
      { d, fill: "none", "stroke-width": thickness, "stroke-opacity": opacity },
      { stroke: COLOURS[panel.from[from].segment] },
    );
  };
  const all = draw(svg, "g");
  for (const cell of matrix.lines) {
    line(all, Math.floor(cell / matrix.columns), cell % matrix.columns, matrix.values[cell] / top);
  }
  const alone = draw(svg, "g");
  const sides = { from: panel.from, to: panel.to };
  const marks = { from: [], to: [] };
  for (const [side, units] of Object.entries(sides)) {
    const isFrom = side === "from";
    units.forEach((unit, index) => {
      const group = draw(svg, "g", { "data-side": side, "data-index": index }, { cursor: "pointer" });
      const x = isFrom ? VALUES : right;
      marks[side].push(
        draw(
          group,
          "rect",
          { x, y: y(index) - row / 2 + 1, width: column, height: row - 2, rx: 4, "fill-opacity": 0 },
          { fill: COLOURS[(isFrom ? unit : panel.from[0]).segment] },
        ),
      );
      const edge = isFrom ? left - 2.5 : right;
      draw(
        group,
        "rect",
        { x: edge, y: y(index) - row / 2 + 3, width: 2.5, height: row - 6 },
        { fill: unit.special ? "var(--klyuch-muted)" : COLOURS[unit.segment] },
      );
      write(group, unit, isFrom ? left - DRAWING.beside : right + DRAWING.beside, y(index), column - 12, {
        "text-anchor": isFrom ? "end" : "start",
        "font-size": size,
      });
    });
  }

  function weightsOf(side, index) {
    const others = side === "from" ? matrix.columns : matrix.rows;
    return Array.from({ length: others }, (_, other) =>
      side === "from" ? matrix.values[index * matrix.columns + other] : matrix.values[other * matrix.columns + index],
    );
  }

  function show(side, index) {
    alone.replaceChildren();
    for (const rects of Object.values(marks)) for (const rect of rects) rect.setAttribute("fill-opacity", 0);
    all.style.setProperty("opacity", side ? 0.05 : 1);
    if (!side) {
      say("");
      return;
    }
    const other = side === "from" ? "to" : "from";
    const weights = weightsOf(side, index);
    weights.forEach((value, cell) => {
      const strength = value / top;
      if (strength < DRAWING.faint) return;
      const [from, to] = side === "from" ? [index, cell] : [cell, index];
      line(alone, from, to, strength);
      const mark = marks[other][cell];
      mark.style.setProperty("fill", COLOURS[panel.from[from].segment]);
      mark.setAttribute("fill-opacity", (0.42 * strength).toFixed(3));
      if (value < 0.0095) return;
      const outside = other === "to" ? { x: width, "text-anchor": "end" } : { x: 0, "text-anchor": "start" };
      draw(
        alone,
        "text",
        { ...outside, y: y(cell), "dominant-baseline": "central", "font-size": DRAWING.small },
        { fill: "var(--klyuch-ink)", "font-variant-numeric": "tabular-nums" },
        number(value, language, 2),
      );
    });
    marks[side][index].setAttribute("fill-opacity", 0.25);
    const order = weights.map((_, cell) => cell).sort((a, b) => weights[b] - weights[a]);
    const near = order.slice(0, 5).map((cell) => `${sides[other][cell].text} ${number(weights[cell], language)}`);
    const arrow = side === "from" ? "→" : "←";
    say(`${sides[side][index].text} ${arrow} ${near.join(" · ")}`);
  }

  pointing(svg, sides, show, word, choose);
  const note =
    matrix.lines.length === DRAWING.most_lines
      ? fill(labels.strongest, {
          shown: number(DRAWING.most_lines, language, 0),
          all: number(matrix.values.length, language, 0),
        })
      : "";
  return { svg, note };
}

// Width and opacity of a line.
function strokeOf(strength) {
  const last = DRAWING.strokes.length - 1;
  return DRAWING.strokes[Math.round(Math.min(1, Math.max(0, strength)) * last)];
}

// The pointer shows a word's lines, a click holds them; with the keyboard the arrows walk over the words.
// A word of the left column that is held is chosen: other pictures show it too.
function pointing(svg, sides, show, word, choose) {
  let held = word >= 0 ? { side: "from", index: word } : null;
  const tell = () => choose(held?.side === "from" ? held.index : -1);
  const unitOf = (event) => {
    const group = event.target.closest?.("[data-side]");
    return group && { side: group.dataset.side, index: Number(group.dataset.index) };
  };
  const present = (unit) => show(unit?.side, unit?.index);
  svg.addEventListener("pointerover", (event) => {
    const unit = unitOf(event);
    if (!held && unit) present(unit);
  });
  svg.addEventListener("pointerout", (event) => {
    if (!held && unitOf(event)) present(null);
  });
  svg.addEventListener("click", (event) => {
    const unit = unitOf(event);
    const same = held && unit && held.side === unit.side && held.index === unit.index;
    held = same ? null : unit;
    present(held);
    tell();
  });
  svg.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    const at = held ?? { side: "from", index: -1 };
    let next = null;
    if (event.key in steps) {
      const last = sides[at.side].length - 1;
      next = { side: at.side, index: Math.min(last, Math.max(0, at.index + steps[event.key])) };
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const side = event.key === "ArrowLeft" ? "from" : "to";
      next = { side, index: Math.min(sides[side].length - 1, Math.max(0, at.index)) };
    } else if (event.key !== "Escape" || !held) return;
    event.preventDefault();
    event.stopPropagation();
    held = next;
    present(held);
    if (held) {
      const group = svg.querySelector(`[data-side=${held.side}][data-index="${held.index}"]`);
      group.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  });
  if (held) present(held);
}
