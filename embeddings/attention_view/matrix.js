// A row for each word that looks, a column for each that is looked at; the darker, the more attention.

const MOST_CELLS = 4900; // drawn one by one; a larger matrix is one picture
const NUMBERED = 14; // columns up to which the cells carry their numbers

function drawMatrix(host, panel, matrix, { top, language, labels, say, word }) {
  const { rows, columns, values } = matrix;
  const widest = (units) => DRAWING.label_margin + Math.max(...units.map((unit) => widthOf(unit.text)));
  const labelWidth = Math.min(DRAWING.label_width, widest(panel.from));
  const labelHeight = Math.min(DRAWING.label_height, widest(panel.to));
  const [smallest, largest] = DRAWING.cell;
  const cell = Math.max(smallest, Math.min(largest, (host.clientWidth - labelWidth - 4) / columns));
  const size = Math.min(FONT, cell * DRAWING.letter_of_cell);
  const width = labelWidth + columns * cell + 2;
  const height = labelHeight + rows * cell + 2;
  const svg = canvas(host, width, height, `${labels.matrix}: ${panel.title}`);
  const x = (column) => labelWidth + column * cell;
  const y = (row) => labelHeight + row * cell;
  const colourOf = (row) => COLOURS[panel.from[row].segment];
  draw(
    svg,
    "rect",
    { x: x(0), y: y(0), width: columns * cell, height: rows * cell, "fill-opacity": 0.05 },
    { fill: "var(--klyuch-ink)" },
  );
  if (values.length <= MOST_CELLS) {
    const gap = cell > 16 ? 1 : 0.25;
    const isNumbered = columns <= NUMBERED && cell >= 30;
    values.forEach((value, place) => {
      const row = Math.floor(place / columns);
      const column = place % columns;
      const strength = value / top;
      if (strength >= DRAWING.faint) {
        const at = { x: x(column) + gap / 2, y: y(row) + gap / 2, width: cell - gap, height: cell - gap };
        draw(svg, "rect", { ...at, "fill-opacity": (strength * (isNumbered ? DRAWING.numbered : 1)).toFixed(3) }, { fill: colourOf(row) });
      }
      if (!isNumbered) return;
      draw(
        svg,
        "text",
        {
          x: x(column) + cell / 2,
          y: y(row) + cell / 2,
          "text-anchor": "middle",
          "dominant-baseline": "central",
          "font-size": 10.5,
        },
        { fill: "var(--klyuch-ink)" },
        number(value, language, 2),
      );
    });
  } else {
    const href = pixels(svg, panel, matrix, top);
    const at = { x: x(0), y: y(0), width: columns * cell, height: rows * cell };
    draw(svg, "image", { ...at, href, preserveAspectRatio: "none" }, { "image-rendering": "pixelated" });
  }
  panel.from.forEach((unit, row) => {
    write(svg, unit, labelWidth - 6, y(row) + cell / 2, labelWidth - 8, { "text-anchor": "end", "font-size": size });
  });
  panel.to.forEach((unit, column) => {
    const turn = `rotate(-90 ${x(column) + cell / 2} ${labelHeight - 6})`;
    write(svg, unit, x(column) + cell / 2, labelHeight - 6, labelHeight - 8, { transform: turn, "font-size": size });
  });
  const cross = draw(svg, "g", {}, { "pointer-events": "none" });

  function show(row, column) {
    cross.replaceChildren();
    if (row === null) {
      say("");
      return;
    }
    const band = (attributes) =>
      draw(cross, "rect", { fill: "none", "stroke-width": 1, ...attributes }, { stroke: "var(--klyuch-muted)" });
    band({ x: 0, y: y(row), width: width - 2, height: cell });
    band({ x: x(column), y: 0, width: cell, height: height - 2 });
    draw(
      cross,
      "rect",
      { x: x(column), y: y(row), width: cell, height: cell, fill: "none", "stroke-width": 2 },
      { stroke: "var(--klyuch-ink)" },
    );
    const value = number(values[row * columns + column], language, 4);
    say(`${panel.from[row].text} → ${panel.to[column].text}: ${value}`, { x: x(column) + cell, y: y(row), value });
  }

  let held = null;
  if (word >= 0) show(word, values.slice(word * columns, (word + 1) * columns).reduce((best, value, at, row) => (value > row[best] ? at : best), 0));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - labelWidth) / cell);
    const row = Math.floor((event.clientY - box.top - labelHeight) / cell);
    if (row < 0 || column < 0 || row >= rows || column >= columns) show(null);
    else show(row, column);
  });
  svg.addEventListener("pointerleave", () => show(null));
  svg.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
    const within = (value, size) => Math.min(size - 1, Math.max(0, value));
    if (event.key in steps) {
      const [down, along] = held ? steps[event.key] : [0, 0];
      held = [within((held?.[0] ?? 0) + down, rows), within((held?.[1] ?? 0) + along, columns)];
    } else if (event.key === "Escape" && held) held = null;
    else return;
    event.preventDefault();
    event.stopPropagation();
    show(...(held ?? [null]));
    cross.lastChild?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  return { svg, note: "" };
}

// A pixel a cell, in the colours of the theme, as the address of a PNG.
function pixels(svg, panel, matrix, top) {
  const { rows, columns, values } = matrix;
  const colours = COLOURS.map((colour) => rgb(svg, colour));
  const picture = new ImageData(columns, rows);
  values.forEach((value, place) => {
    const colour = colours[panel.from[Math.floor(place / columns)].segment];
    picture.data.set([...colour, Math.round((255 * value) / top)], 4 * place);
  });
  return painted(picture).toDataURL();
}

function painted(picture) {
  const sheet = document.createElement("canvas");
  sheet.width = picture.width;
  sheet.height = picture.height;
  sheet.getContext("2d").putImageData(picture, 0, 0);
  return sheet;
}

// Red, green and blue of a colour of the theme, whatever notation the browser gives it back in.
function rgb(inside, colour) {
  const probe = draw(inside, "g", {}, { color: colour });
  const sheet = document.createElement("canvas");
  sheet.width = sheet.height = 1;
  const brush = sheet.getContext("2d");
  brush.fillStyle = getComputedStyle(probe).color;
  brush.fillRect(0, 0, 1, 1);
  probe.remove();
  return [...brush.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}
