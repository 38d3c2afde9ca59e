// Two buttons that save the figure above them through Plotly's own export, as SVG or PNG.
// What is saved is whole, has a caption, and has ink that is read on white whatever the theme of the screen.
const brush = document.createElement("canvas").getContext("2d");
const ENOUGH = 4.5; // contrast of text, as WCAG wants it
const FAMILY = "Arial, Helvetica, sans-serif"; // as wide wherever the file is opened: a legend is cut to what was measured
const LINE = 16; // pixels of a line of the caption
const LETTER = 6.2; // pixels of a letter in it

function rgb(colour) {
  brush.fillStyle = "#000000";
  brush.fillStyle = colour;
  const drawn = brush.fillStyle;
  return drawn.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(drawn.slice(at, at + 2), 16))
    : drawn.match(/[\d.]+/g).slice(0, 3).map(Number);
}

function luminance(parts) {
  const linear = parts.map((part) => {
    const level = part / 255;
    return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

function contrast(first, second) {
  const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function readable(colour, { ink, ground }) {
  const [own, dark, paper] = [colour, ink, ground].map(rgb);
  for (let step = 0; step <= 20; step += 1) {
    const moved = own.map((part, at) => Math.round(part + (dark[at] - part) * (step / 20)));
    if (contrast(moved, paper) >= ENOUGH) return step ? `rgb(${moved.join(",")})` : colour;
  }
  return ink;
}

function darken(part, paper) {
  for (const [name, value] of Object.entries(part)) {
    if (!value || typeof value !== "object" || ArrayBuffer.isView(value)) continue;
    if (/font$/.test(name)) {
      value.family = FAMILY;
      if (typeof value.color === "string") value.color = readable(value.color, paper);
    }
    darken(value, paper);
  }
}

function wrap(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length <= letters || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return lines.map((line) => line.replace(/[&<>]/g, (sign) => signs[sign]));
}

function forPaper(figure, paper, caption) {
  const { layout, _fullLayout: full } = figure;
  const copy = structuredClone(layout);
  const whole = copy.meta?.whole;
  let width = full.width;
  if (whole) {
    const [low, high] = full.xaxis.range;
    width = Math.max(width, (width * (whole[1] - whole[0])) / (high - low));
    copy.xaxis = { ...copy.xaxis, range: whole };
  }
  darken(copy, paper);
  copy.font = { ...copy.font, color: paper.ink, family: FAMILY };
  copy.paper_bgcolor = copy.plot_bgcolor = paper.ground;
  const lines = wrap(caption, width / LETTER);
  const below = full._size.b;
  const room = LINE * lines.length + 8;
  copy.height = full.height + room;
  copy.width = width;
  copy.autosize = false;
  copy.margin = { ...copy.margin, b: below + room };
  copy.annotations = [...(copy.annotations ?? []), {
    text: lines.join("<br>"), xref: "paper", yref: "paper", x: 0, y: 0, xanchor: "left", yanchor: "top",
    xshift: 8 - full._size.l, yshift: -below, align: "left", showarrow: false, font: { size: 12, color: paper.ink, family: FAMILY },
  }];
  return copy;
}

function cellsForPaper(traces, paper) {
  return traces.map((trace) => {
    const copy = { ...trace };
    for (const name of ["textfont", "colorbar"]) {
      if (!trace[name]) continue;
      copy[name] = structuredClone(trace[name]);
      darken({ font: copy[name], [name]: copy[name] }, paper);
    }
    return copy;
  });
}

export default function (component) {
  const { parentElement, data } = component;
  const root = parentElement.querySelector(".klyuch-export");
  root.replaceChildren();
  for (const format of ["svg", "png"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = format.toUpperCase();
    button.title = data.help;
    button.setAttribute("aria-label", `${data.help} ${format.toUpperCase()}`);
    button.onclick = () => {
      const figure = document.querySelector(`.st-key-${data.target} .js-plotly-plot`);
      const camera = figure && figure.querySelector(".modebar-btn[data-title^='Download plot']");
      if (!camera) return;
      const { layout, data: traces, _context: context } = figure;
      const options = context.toImageButtonOptions;
      const paper = forPaper(figure, data.paper, data.caption);
      context.toImageButtonOptions = {
        format, filename: data.filename, scale: format === "png" ? 3 : 1, width: paper.width, height: paper.height,
      };
      figure.layout = paper; // Plotly copies both before the click returns
      figure.data = cellsForPaper(traces, data.paper);
      camera.click();
      figure.layout = layout;
      figure.data = traces;
      context.toImageButtonOptions = options;
    };
    root.appendChild(button);
  }
}
