// The document around the pages: its language, a link that skips the sidebar, one entry of history a page, hints under fields,
// figures that are drawn once and follow the theme, and no offer to developers.
const STYLE = `
  #klyuch-skip { position: fixed; left: 0.5rem; top: -6rem; z-index: 1000000; padding: 0.6rem 1rem;
    background: #8a5a00; color: #ffffff; border-radius: 0.4rem; font: 1rem sans-serif; }
  #klyuch-skip:focus { top: 0.5rem; outline: 3px solid #22201c; }
  [data-testid=stSkillsNudge] { display: none; }`; // Streamlit's offer to developers, before whoever runs the pages at home

function skipLink(label) {
  let link = document.getElementById("klyuch-skip");
  if (!link) {
    const style = document.createElement("style");
    style.textContent = STYLE;
    document.head.appendChild(style);
    link = document.createElement("a");
    link.id = "klyuch-skip";
    link.href = "#content";
    link.onclick = (event) => {
      event.preventDefault(); // no #content in the address, which is the page's own
      const main = document.querySelector("[data-testid=stMain]");
      main.tabIndex = -1;
      main.focus();
    };
    document.body.prepend(link);
  }
  link.textContent = label;
}

// Streamlit writes a new page's path into the history and then, when the page has run, its settings: the second replaces the first
// here. A browser that is slow to draw does both the other way round, the settings behind the path of the page that is left: there
// they are taken back. What a person changes on a page stays an entry, so that Back undoes it.
function oneEntryAPage() {
  const { history } = window;
  if (history.klyuch) return;
  history.klyuch = true;
  const push = history.pushState.bind(history);
  let awaited = true; // the settings of the page that was just opened
  let settings = null; // those written last, and the address that they replaced, "" where they have an entry of their own
  history.pushState = (state, title, url) => {
    const next = new URL(url, location.href);
    if (next.pathname === location.pathname) {
      settings = { written: next.href, before: awaited ? location.href : "" };
      if (awaited) history.replaceState(state, title, url);
      else push(state, title, url);
      awaited = false;
      return;
    }
    const cameFirst = settings?.written === location.href && next.search === location.search;
    if (cameFirst && !settings.before) history.replaceState(state, title, url);
    else {
      if (cameFirst) history.replaceState(state, title, settings.before);
      push(state, title, url);
    }
    awaited = true;
  };
  // a click while the page still runs changes nothing of that: its settings are not written yet
  const touched = () => { if (location.search) awaited = false; };
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, touched, true);
}

// Streamlit says in English which key applies what was typed; it stands there once the field is drawn anew.
function translateHints() {
  if (window.klyuchHints) return;
  const fields = ["stTextInput", "stTextArea", "stNumberInput"].map((name) => `[data-testid=${name}]`);
  const translate = ({ target }) => requestAnimationFrame(() => {
    const field = target instanceof Element ? target.closest(fields.join()) : null;
    for (const part of field?.querySelectorAll("[data-testid=InputInstructions] > span") ?? []) {
      const hint = window.klyuchHints[part.textContent];
      if (hint) part.firstChild.nodeValue = hint;
    }
  });
  for (const kind of ["input", "focusin"]) document.addEventListener(kind, translate);
}

// Streamlit hands Plotly each figure twice: first without its width, then as a copy with it. Plotly would draw all of it again for the width
// that it measured itself, rounded, for the copy of the template, which it takes for another one, and once the fonts that the page
// was loading are there ([...document.fonts]): those of formulas, which no figure has, are kept from whoever asks so.
function drawFiguresOnce() {
  const { prototype } = HTMLDivElement;
  if ("layout" in prototype) return;
  const layouts = new WeakMap(); // by the element that Plotly draws in
  const adapt = (layout, before, element) => {
    if (!before) layout.width ??= element.getBoundingClientRect().width || undefined;
    else if (JSON.stringify(before.template) === JSON.stringify(layout.template)) layout.template = before.template;
  };
  Object.defineProperty(prototype, "layout", {
    get() { return layouts.get(this); },
    set(layout) {
      if (layout) adapt(layout, layouts.get(this), this);
      layouts.set(this, layout);
    },
  });
  const { fonts } = document;
  if (fonts) fonts[Symbol.iterator] = () => [...fonts.values()].filter(({ family }) => !family.includes("KaTeX")).values();
}

// The server draws the texts of figures in the theme's ink, and is told the theme with each run alone: another theme asks for a run,
// as a click would. Paper has its own theme for as long as it is printed.
function askOnAnotherTheme(ask) {
  const app = document.querySelector("[data-testid=stApp]");
  if (!app) return;
  const isFirst = !app.klyuchAsk;
  app.klyuchAsk = ask;
  if (!isFirst) return;
  const shown = () => getComputedStyle(app).colorScheme;
  let known = shown();
  new MutationObserver(() => {
    if (shown() === known || matchMedia("print").matches) return;
    known = shown();
    app.klyuchAsk(known);
  }).observe(app, { attributeFilter: ["class"] });
}

export default function (component) {
  const { parentElement, data } = component;
  document.documentElement.lang = data.language;
  skipLink(data.skip);
  oneEntryAPage();
  drawFiguresOnce();
  askOnAnotherTheme((theme) => component.setTriggerValue("theme", theme));
  translateHints();
  window.klyuchHints = data.hints;
  const host = parentElement.getRootNode().host ?? parentElement;
  const box = host.closest("[data-testid=stElementContainer]");
  if (box) box.style.display = "none"; // it shows nothing, so it takes no room
}
