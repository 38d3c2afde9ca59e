// A tour of one screen: shown until somebody dismisses it, which this browser alone remembers.
const KEY = "klyuch-tour";

function remembered() {
  try { return localStorage.getItem(KEY) === "dismissed"; } catch { return false; } // storage may be forbidden
}

function remember() {
  try { localStorage.setItem(KEY, "dismissed"); } catch { /* then it is shown again on the next visit */ }
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

export default function (component) {
  const { parentElement, data } = component;
  const host = parentElement.getRootNode().host ?? parentElement;
  const box = host.closest("[data-testid=stElementContainer]") ?? host;
  const place = parentElement.querySelector(".klyuch-tour");
  box.style.display = remembered() ? "none" : "";
  if (remembered()) return;
  const steps = element("ol");
  for (const [title, text] of data.steps) {
    const step = element("li");
    step.append(element("b", title), element("span", text));
    steps.append(step);
  }
  const lesson = element("a", data.lesson, "first");
  lesson.href = data.address;
  const dismiss = element("button", data.dismiss);
  dismiss.type = "button";
  dismiss.onclick = () => { remember(); box.style.display = "none"; };
  const ways = element("p", "", "ways");
  ways.append(lesson, dismiss);
  place.replaceChildren(element("h2", data.title), steps, ways);
}
