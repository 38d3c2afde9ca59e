// The view inside the app: what the person chooses goes to Python, which sends the head that is wanted.

const views = new WeakMap();

export default function (component) {
  const { parentElement, data, setStateValue } = component;
  const root = parentElement.querySelector(".klyuch-attention");
  let view = views.get(root);
  if (!view) {
    view = new AttentionView(root);
    views.set(root, view);
  }
  view.ask = (at) => setStateValue("at", at);
  view.receive(data);
}
