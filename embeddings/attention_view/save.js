// The picture as a file: dark ink on white whatever the theme of the screen, for it goes on paper.

const PAPER = {
  "var(--klyuch-first)": DRAWING.segments[0],
  "var(--klyuch-second)": DRAWING.segments[1],
  "var(--klyuch-ink)": DRAWING.ink,
  "var(--klyuch-muted)": DRAWING.muted,
  "var(--klyuch-ground)": DRAWING.paper,
  "var(--klyuch-font)": DRAWING.font,
};

// Texts beside each other become one picture, each under its caption.
function pictureOf(parts) {
  const { gap } = DRAWING;
  const width = parts.reduce((sum, part) => sum + part.width + gap, gap);
  const height = Math.max(...parts.map((part) => part.height)) + 64;
  const whole = document.createElementNS(SVG, "svg");
  const size = { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": DRAWING.font };
  for (const [key, value] of Object.entries({ xmlns: SVG, ...size })) whole.setAttribute(key, value);
  draw(whole, "rect", { width, height, fill: DRAWING.paper });
  let x = gap;
  for (const part of parts) {
    draw(whole, "text", { x, y: 26, "font-size": FONT, fill: DRAWING.ink }, {}, clip(part.caption, part.width));
    const inner = draw(whole, "svg", { x, y: 44, width: part.width, height: part.height });
    part.into(inner);
    x += part.width + gap;
  }
  let text = new XMLSerializer().serializeToString(whole);
  for (const [variable, colour] of Object.entries(PAPER)) text = text.replaceAll(variable, colour);
  return { text, width, height };
}

function partOf(drawn, caption) {
  if (drawn.grid) return gridPart(drawn.grid, caption);
  const { width, height } = drawn.svg.viewBox.baseVal;
  return { caption, width, height, into: (inner) => inner.append(...drawn.svg.cloneNode(true).childNodes) };
}

function gridPart(grid, caption) {
  const edge = grid.getBoundingClientRect();
  const into = (inner) => {
    for (const node of grid.querySelectorAll("canvas, small, .column, .row")) {
      const box = node.getBoundingClientRect();
      const x = box.left - edge.left;
      const y = box.top - edge.top;
      if (node.tagName === "CANVAS") {
        const at = { x, y, width: box.width, height: box.height };
        draw(inner, "rect", { ...at, fill: "none", stroke: DRAWING.frame });
        draw(inner, "image", { ...at, href: node.toDataURL(), preserveAspectRatio: "none" }, { "image-rendering": "pixelated" });
      } else if (node.textContent) {
        const middle = { x: x + box.width / 2, y: y + box.height / 2 };
        draw(
          inner,
          "text",
          { ...middle, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 11, fill: DRAWING.ink },
          {},
          node.textContent,
        );
      }
    }
  };
  return { caption, width: grid.scrollWidth, height: grid.scrollHeight, into };
}

function saveAs(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function savePicture(parts, format, name) {
  const { text, width, height } = pictureOf(parts);
  const drawn = new Blob([text], { type: "image/svg+xml" });
  if (format === "svg") {
    saveAs(`${name}.svg`, drawn);
    return;
  }
  const picture = new Image();
  const address = URL.createObjectURL(drawn);
  picture.onload = () => {
    const sheet = document.createElement("canvas");
    const scale = Math.min(3, 8000 / Math.max(width, height)); // browsers draw no larger sheets
    sheet.width = Math.round(width * scale);
    sheet.height = Math.round(height * scale);
    sheet.getContext("2d").drawImage(picture, 0, 0, sheet.width, sheet.height);
    sheet.toBlob((blob) => saveAs(`${name}.png`, blob));
    URL.revokeObjectURL(address);
  };
  picture.src = address;
}
