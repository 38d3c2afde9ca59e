// Words offered under a text field while it is typed in: a list of the browser's own, filled by the server for the letters so far.
const PAUSE = 120; // ms without a key before the server is asked
const LIST = "klyuch-typeahead";

// Fields come and go with the runs of a page: the document listens for all of them, once.
function listen() {
  const state = { key: "", ask: () => {} };
  let timer = 0;
  const stop = () => clearTimeout(timer);
  const isField = (target) => state.key && target instanceof HTMLInputElement && target.closest(`.st-key-${state.key}`);
  document.addEventListener("focusin", ({ target }) => {
    if (!isField(target)) return;
    target.setAttribute("list", LIST);
    target.autocomplete = "off";
  });
  document.addEventListener("input", ({ target }) => {
    if (!isField(target)) return;
    stop();
    timer = setTimeout(() => state.ask(target.value), PAUSE);
  });
  // what is sent is answered by the page itself
  document.addEventListener("keydown", (event) => { if (event.key === "Enter") stop(); }, true);
  document.addEventListener("focusout", stop);
  return state;
}

function listOfWords() {
  let list = document.getElementById(LIST);
  if (!list) {
    list = document.createElement("datalist");
    list.id = LIST;
    document.body.appendChild(list);
  }
  return list;
}

// The browser's arrow of a list would stand on the hint that Streamlit shows in the field; words are offered without it.
function hideArrow() {
  if (document.getElementById(`${LIST}-style`)) return;
  const style = document.createElement("style");
  style.id = `${LIST}-style`;
  style.textContent = `input[list=${LIST}]::-webkit-calendar-picker-indicator { display: none !important; }`;
  document.head.appendChild(style);
}

export default function (component) {
  const { data, setStateValue } = component;
  hideArrow();
  listOfWords().replaceChildren(...data.words.map((word) => {
    const option = document.createElement("option");
    option.value = word;
    return option;
  }));
  const state = (window.klyuchTypeahead ??= listen());
  state.key = data.field;
  const ask = (letters) => setStateValue("letters", letters);
  state.ask = ask;
  return () => { if (state.ask === ask) state.key = ""; }; // the page is left
}
