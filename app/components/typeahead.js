// Words offered under a text field while it is typed in: a list of the browser's own, filled by the server for the letters so far.
const PAUSE = 120; // ms without a key before the server is asked
const LIST = "klyuch-typeahead";

export default function (component) {
  const { parentElement, data, setStateValue } = component;
  const host = parentElement.getRootNode().host ?? parentElement;
  const box = host.closest("[data-testid=stElementContainer]");
  if (box) box.style.display = "none"; // it shows nothing of its own
  const fields = document.querySelectorAll("[data-testid=stTextInput] input");
  const input = [...fields].find((field) => field.getAttribute("aria-label") === data.label);
  if (!input) return;

  let list = document.getElementById(LIST);
  if (!list) {
    list = document.createElement("datalist");
    list.id = LIST;
    document.body.appendChild(list);
  }
  list.replaceChildren(...data.words.map((word) => {
    const option = document.createElement("option");
    option.value = word;
    return option;
  }));
  input.setAttribute("list", LIST);
  input.autocomplete = "off";

  input.klyuchAsk = (letters) => setStateValue("letters", letters);
  if (input.klyuchTypeahead) return;
  input.klyuchTypeahead = true;
  let timer = 0;
  const stop = () => clearTimeout(timer);
  input.addEventListener("input", () => {
    stop();
    timer = setTimeout(() => input.klyuchAsk(input.value), PAUSE);
  });
  // what is sent is answered by the page itself
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") stop(); });
  input.addEventListener("blur", stop);
}
