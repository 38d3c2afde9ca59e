// The document around the pages: its language, a link that skips the sidebar, hints under fields,
// figures that follow the theme, and no offer to developers.
const STYLE = `
  #klyuch-skip { position: fixed; left: 0.5rem; top: -6rem; z-index: 1000000; padding: 0.6rem 1rem;
    background: #8a5a00; color: #ffffff; border-radius: 0.4rem; font: 1rem sans-serif; }
  #klyuch-skip:focus { top: 0.5rem; outline: 3px solid #22201c; }
  @media (min-width: 640px) { [data-testid=stMainBlockContainer] { padding-left: 2.5rem; padding-right: 2.5rem; } }
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
  askOnAnotherTheme((theme) => component.setTriggerValue("theme", theme));
  translateHints();
  window.klyuchHints = data.hints;
  const host = parentElement.getRootNode().host ?? parentElement;
  const box = host.closest("[data-testid=stElementContainer]");
  if (box) box.style.display = "none"; // it shows nothing, so it takes no room
}
