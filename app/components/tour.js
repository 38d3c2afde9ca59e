// A line for new visitors: shown until somebody dismisses it, which this browser alone remembers.
const KEY = "klyuch-tour";

function remembered() {
  try { return localStorage.getItem(KEY) === "dismissed"; } catch { return false; } // storage may be forbidden
}

function remember() {
  try { localStorage.setItem(KEY, "dismissed"); } catch { /* then it is shown again on the next visit */ }
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

export default function (component) {
  const { parentElement, data } = component;
  const host = parentElement.getRootNode().host ?? parentElement;
  const box = host.closest(".st-key-tour") ?? host;
  const place = parentElement.querySelector(".klyuch-tour");
  box.style.display = remembered() ? "none" : "";
  if (remembered()) return;
  const lesson = element("a", data.lesson);
  lesson.href = data.address;
  const dismiss = element("button", data.dismiss);
  dismiss.type = "button";
  dismiss.onclick = () => { remember(); box.style.display = "none"; };
  place.replaceChildren(element("span", data.title), lesson, dismiss);
}
