// The view: holds where the person is (layer, head, kind of picture) and the heads that have come so far.
// A head that is not here is asked for by `ask`; until it comes the old picture stays, paler.

class AttentionView {
  constructor(root, ask = () => {}) {
    this.root = root;
    this.ask = ask;
    this.store = new Map(); // text, layer and head -> matrix
    this.at = null;
    this.width = 0;
    this.turn = 0; // counts what was told to `ask`
    new ResizeObserver(() => {
      if (this.at && Math.abs(root.clientWidth - this.width) > 2) this.show();
    }).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.at && this.show());
  }

  receive(data) {
    // what answers an older turn says nothing of where the person is by now
    if (!this.at || (data.at.turn ?? 0) >= this.turn) this.at = { ...data.at };
    const keys = data.panels.map((panel) => panel.key);
    for (const known of this.store.keys()) {
      if (!keys.some((key) => known.startsWith(`${key}/`))) this.store.delete(known);
    }
    for (const panel of data.panels) {
      for (const head of Object.keys(panel.weights)) {
        const name = `${panel.key}/${head}`;
        if (!this.store.has(name)) this.store.set(name, matrixOf(panel, head));
      }
    }
    const has = (layer, head) =>
      !data.complete || data.panels.every((panel) => this.store.has(`${panel.key}/${layer}/${head}`));
    this.data = { ...data, has, hasLayer: (layer) => data.heads.some((head) => has(layer, head)) };
    this.at.layer = Math.min(Math.max(1, this.at.layer), data.layers);
    if (!data.heads.includes(this.at.head)) this.at.head = data.heads[0];
    this.frame();
    this.show();
  }

  // Go to another layer, head or kind of picture, and say so.
  go(change) {
    const next = { ...this.at, ...change };
    if (spelled(next) === spelled(this.at)) return;
    if (!this.data.has(next.layer, next.head)) {
      const head = this.data.heads.find((name) => this.data.has(next.layer, name));
      if (!head) return;
      next.head = head;
    }
    this.at = next;
    this.turn += 1;
    this.ask({ ...next, turn: this.turn });
    this.show();
  }

  frame() {
    const { labels, language } = this.data;
    const made = JSON.stringify([labels, language, this.data.layers, this.data.heads]);
    if (made === this.made) return;
    this.made = made;
    this.root.replaceChildren();
    this.update = drawControls(this.root, this.live(), {
      at: this.at,
      labels,
      language,
      go: (change) => this.go(change),
      save: (format) => this.save(format),
    });
    this.stage = make(this.root, "div", "stage");
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "group");
    this.stage.addEventListener("keydown", (event) => this.key(event));
    this.below = make(this.root, "div", "below");
    this.readout = make(this.below, "div", "readout");
    this.readout.setAttribute("aria-live", "polite");
    this.legend = make(this.below, "div", "legend");
    this.note = make(this.root, "p", "note");
    this.hint = make(this.root, "p", "note");
  }

  // The newest data, for parts that live longer than one of them.
  live() {
    const view = this;
    return {
      get layers() { return view.data.layers; },
      get heads() { return view.data.heads; },
      get panels() { return view.data.panels; },
      has: (layer, head) => view.data.has(layer, head),
      hasLayer: (layer) => view.data.hasLayer(layer),
    };
  }

  key(event) {
    if (event.target !== this.stage) return;
    const { layer, head } = this.at;
    const heads = this.data.heads;
    const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (along) {
      const next = heads[heads.indexOf(head) + along];
      if (next && this.data.has(layer, next)) this.go({ head: next });
    } else if (down) {
      if (layer + down >= 1 && layer + down <= this.data.layers) this.go({ layer: layer + down });
    } else return;
    event.preventDefault();
  }

  show() {
    const { data, at } = this;
    this.width = this.root.clientWidth;
    if (!this.width) return; // hidden for now: the observer draws it when it has room
    this.update(at);
    const found = data.panels.map((panel) => this.store.get(`${panel.key}/${at.layer}/${at.head}`));
    const waits = at.view !== "grid" && found.some((matrix) => !matrix);
    this.stage.classList.toggle("waits", waits);
    this.stage.setAttribute("aria-busy", String(waits));
    this.stage.setAttribute("aria-label", `${data.labels.layer} ${at.layer}, ${data.labels.head} ${at.head}`);
    if (waits) {
      this.note.textContent = data.labels.waiting;
      return;
    }
    this.stage.replaceChildren();
    this.say("");
    // one scale, so that texts compare; an even head stays pale
    const top = Math.max(...data.panels.map((panel, place) => Math.max(panel.scale, found[place]?.top ?? 0)));
    const hosts = data.panels.map(() => make(this.stage, "figure", "panel")); // all at first: they share the width
    this.drawn = data.panels.map((panel, place) => this.panel(hosts[place], panel, found[place], top, place));
    this.note.textContent = this.drawn.map((drawn) => drawn.note).filter(Boolean)[0] || "";
    this.scale(at.view === "grid" ? 0 : top);
    this.hint.textContent = `${data.labels[`hover_${at.view}`]} ${data.labels.keys}`;
  }

  panel(host, panel, matrix, top, place) {
    const { labels, language } = this.data;
    const word = place === 0 && this.at.word < panel.from.length ? this.at.word : -1;
    const choose = place === 0 ? (chosen) => this.go({ word: chosen }) : () => {};
    if (this.data.panels.length > 1) make(host, "figcaption", "", panel.title).title = panel.title;
    if (!panel.from.length || !panel.to.length) {
      return { svg: canvas(host, 1, 1, ""), note: labels.nothing };
    }
    const around = make(host, "div", "around");
    const tip = make(host, "div", "tip");
    const say = (text, at) => {
      this.say(text);
      tip.hidden = !at;
      if (!at) return;
      tip.textContent = at.value;
      tip.style.left = `${at.x - around.scrollLeft + around.offsetLeft}px`;
      tip.style.top = `${at.y - around.scrollTop + around.offsetTop}px`;
    };
    tip.hidden = true;
    if (this.at.view === "grid") {
      const opened = (place) => this.go({ ...place, view: this.before || "lines" });
      return drawGrid(around, panel, this.live(), { at: this.at, open: opened, labels, language, word });
    }
    this.before = this.at.view;
    const drawing = this.at.view === "matrix" ? drawMatrix : drawLines;
    return drawing(around, panel, matrix, { top, language, labels, say, word, choose });
  }

  say(text) {
    this.readout.textContent = text;
  }

  scale(top) {
    const { labels, language } = this.data;
    this.legend.replaceChildren();
    if (!top) return;
    make(this.legend, "span", "", `${labels.scale}: 0`);
    make(this.legend, "span", "shades");
    make(this.legend, "span", "", number(top, language));
  }

  save(format) {
    const { labels } = this.data;
    const place = this.at.view === "grid" ? "" : `${labels.layer} ${this.at.layer}, ${labels.head} ${nameOf(this.at.head, labels)}`;
    const parts = this.drawn.map((drawn, index) => {
      const title = this.data.panels[index].title;
      return partOf(drawn, [place, title].filter(Boolean).join(" · "));
    });
    savePicture(parts, format, `klyuch-attention-${this.at.layer}-${this.at.head}`);
  }
}

function spelled(at) {
  return `${at.layer}/${at.head}/${at.view}/${at.word ?? -1}`;
}
