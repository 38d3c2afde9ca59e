// Which lessons are finished: this browser alone remembers, and tells the page when it knows of more.
const KEY = "klyuch-lessons";

function remembered() {
  try { return (localStorage.getItem(KEY) ?? "").split(",").filter(Boolean); } catch { return []; } // storage may be forbidden
}

function remember(names) {
  try { localStorage.setItem(KEY, names.join(",")); } catch { /* then the address alone knows */ }
}

export default function (component) {
  const { data, setTriggerValue } = component;
  const names = [...new Set([...remembered(), ...data.done])].filter((name) => data.names.includes(name));
  remember(names);
  if (names.length > data.done.length) setTriggerValue("done", names);
}
