// Two buttons that save the figure above them through Plotly's own export, as SVG or PNG.
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
      const before = figure._context.toImageButtonOptions;
      figure._context.toImageButtonOptions = { format, filename: data.filename, scale: format === "png" ? 3 : 1 };
      camera.click();
      figure._context.toImageButtonOptions = before;
    };
    root.appendChild(button);
  }
}
