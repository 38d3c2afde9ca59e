// All heads as thumbnails: a row a layer. A click opens one.

function drawGrid(host, panel, data, { at, open, labels, language, word }) {
  const { rows, columns } = panel.thumbnails;
  const bytes = bytesOf(panel.thumbnails.bytes);
  const grid = make(host, "div", "heads");
  grid.style.gridTemplateColumns = `auto repeat(${data.heads.length}, minmax(62px, 112px))`;
  const probe = canvas(host, 1, 1, "");
  const colours = COLOURS.map((colour) => rgb(probe, colour));
  probe.remove();
  make(grid, "span");
  for (const head of data.heads) make(grid, "span", "column", nameOf(head, labels));
  for (let layer = 1; layer <= data.layers; layer += 1) {
    make(grid, "span", "row", String(layer)).title = `${labels.layer} ${layer}`;
    data.heads.forEach((head, place) => {
      const start = ((layer - 1) * data.heads.length + place) * rows * columns;
      const profile = profileOf(panel, layer, head);
      const button = make(grid, "button");
      button.type = "button";
      button.title = `${labels.layer} ${layer}, ${labels.head} ${nameOf(head, labels)}${described(profile, labels, language)}`;
      button.setAttribute("aria-label", button.title);
      button.setAttribute("aria-current", String(layer === at.layer && head === at.head));
      button.disabled = !data.has(layer, head);
      button.onclick = () => open({ layer, head });
      const picture = new ImageData(columns, rows);
      for (let cell = 0; cell < rows * columns; cell += 1) {
        const row = Math.floor((Math.floor(cell / columns) * panel.from.length) / rows);
        const faint = word >= 0 && row !== word ? 0.2 : 1; // the row of the chosen word stands out
        picture.data.set([...colours[panel.from[row].segment], faint * bytes[start + cell]], 4 * cell);
      }
      const sheet = painted(picture);
      sheet.style.aspectRatio = `${panel.to.length} / ${panel.from.length}`;
      button.append(sheet);
      make(button, "small", "", patternOf(profile, labels, language));
    });
  }
  grid.addEventListener("keydown", (event) => {
    const buttons = [...grid.querySelectorAll("button")];
    const place = buttons.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: data.heads.length, ArrowUp: -data.heads.length }[event.key];
    if (place < 0 || !step) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[place + step]?.focus();
  });
  return { grid, note: "" };
}

function nameOf(head, labels) {
  return /^\d+$/.test(head) ? head : labels[head] || head;
}

function profileOf(panel, layer, head) {
  return panel.profiles.find((profile) => profile.layer === layer && profile.head === head);
}

// What a head does, if it does one thing above all: "previous 0.81".
function patternOf(profile, labels, language) {
  if (!profile?.pattern) return "";
  return `${labels[profile.pattern]} ${number(profile.share, language, 2)}`;
}

function described(profile, labels, language) {
  if (!profile) return "";
  const pattern = patternOf(profile, labels, language);
  const distance = profile.distance === null ? "–" : number(profile.distance, language, 1);
  const bits = fill(labels.bits, { entropy: number(profile.entropy, language, 2), distance });
  return `${pattern ? `: ${pattern}` : ""}; ${bits}`;
}
