// Above the picture: how it is drawn, which layer, which head, and two buttons that save it.

function drawControls(host, data, { at, labels, language, go, save }) {
  const bar = make(host, "div", "controls");
  const views = make(bar, "div", "views");
  views.setAttribute("role", "group");
  views.setAttribute("aria-label", labels.views);
  const buttons = ["lines", "matrix", "grid"].map((view) => {
    const button = make(views, "button", "", labels[view]);
    button.type = "button";
    button.onclick = () => go({ view });
    return [view, button];
  });
  const numbers = Array.from({ length: data.layers }, (_, place) => String(place + 1));
  const layer = picker(bar, labels.layer, numbers, (value) => go({ layer: Number(value) }));
  const head = picker(bar, labels.head, data.heads, (value) => go({ head: value }));
  const saving = make(bar, "div", "saving");
  for (const format of ["svg", "png"]) {
    const button = make(saving, "button", "", format.toUpperCase());
    button.type = "button";
    button.title = `${labels.save} ${format.toUpperCase()}`;
    button.setAttribute("aria-label", button.title);
    button.onclick = () => save(format);
  }

  function update(now) {
    for (const [view, button] of buttons) button.setAttribute("aria-pressed", String(view === now.view));
    layer.set(String(now.layer), (value) => [value, data.hasLayer(Number(value))]);
    head.set(now.head, (value) => {
      const profiles = data.panels.map((panel) => profileOf(panel, now.layer, value));
      const pattern = (
        profiles.length > 1
          ? profiles.map((profile) => labels[profile?.pattern] ?? "")
          : [patternOf(profiles[0], labels, language)]
      ).filter(Boolean);
      return [[nameOf(value, labels), ...new Set(pattern)].join(" · "), data.has(now.layer, value)];
    });
  }

  update(at);
  return update;
}

// A list to choose from, with a step back and a step on beside it.
function picker(bar, label, values, choose) {
  const box = make(bar, "label", "picker", label);
  const back = make(box, "button", "", "‹");
  const list = make(box, "select");
  const on = make(box, "button", "", "›");
  const step = (by) => {
    const place = list.selectedIndex + by;
    if (place >= 0 && place < values.length && !list.options[place].disabled) choose(values[place]);
  };
  for (const [button, by] of [[back, -1], [on, 1]]) {
    button.type = "button";
    button.tabIndex = -1; // the list itself answers to the arrow keys
    button.setAttribute("aria-label", `${label} ${by > 0 ? "+" : "−"} 1`);
    button.onclick = (event) => {
      event.preventDefault();
      step(by);
    };
  }
  for (const value of values) make(list, "option").value = value;
  list.setAttribute("aria-label", label);
  list.onchange = () => choose(list.value);
  return {
    set(value, describe) {
      for (const option of list.options) {
        const [text, there] = describe(option.value);
        option.textContent = text;
        option.disabled = !there;
      }
      list.value = value;
      back.disabled = list.selectedIndex <= 0;
      on.disabled = list.selectedIndex >= values.length - 1;
    },
  };
}
