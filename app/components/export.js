// Two buttons that save the figure above them through Plotly's own export, as SVG or PNG.
// What is saved has dark ink on white whatever the theme of the screen: it goes on paper.
const brush = document.createElement("canvas").getContext("2d");

function pale(colour) {
  brush.fillStyle = "#000000";
  brush.fillStyle = colour;
  const drawn = brush.fillStyle;
  const parts = drawn.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(drawn.slice(at, at + 2), 16))
    : drawn.match(/[\d.]+/g).slice(0, 3).map(Number);
  return Math.min(...parts) > 110 && Math.max(...parts) - Math.min(...parts) < 32;
}

function darken(part, ink) {
  for (const [name, value] of Object.entries(part)) {
    if (!value || typeof value !== "object" || ArrayBuffer.isView(value)) continue;
    if (/font$/.test(name) && typeof value.color === "string" && pale(value.color)) value.color = ink;
    darken(value, ink);
  }
}

function forPaper(layout, { ink, ground }) {
  const copy = structuredClone(layout);
  darken(copy, ink);
  copy.font = { ...copy.font, color: ink };
  copy.paper_bgcolor = copy.plot_bgcolor = ground;
  return copy;
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
      const { layout, _context: context } = figure;
      const options = context.toImageButtonOptions;
      context.toImageButtonOptions = { format, filename: data.filename, scale: format === "png" ? 3 : 1 };
      figure.layout = forPaper(layout, data.paper); // Plotly copies it before the click returns
      camera.click();
      figure.layout = layout;
      context.toImageButtonOptions = options;
    };
    root.appendChild(button);
  }
}
