// Notes in `window.stillness` when a person last acted on a page and when the picture last changed: milliseconds since the page began.
// A change is an element, a text or an attribute in the document or under a shadow root, a line on a canvas, an image or a font that has
// come, a message of the server, the end of an animation. It is drawn once the frame after it has been painted.
(() => {
  const noted = { acted: 0, answers: 0, firstAnswer: 0, lastAnswer: 0, drawn: 0, pending: false, last: "" };
  window.stillness = noted;

  const change = (kind) => {
    noted.last = kind;
    if (noted.pending) return;
    noted.pending = true;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel(); // its message comes after the frame was painted
      port2.onmessage = () => { noted.drawn = performance.now(); noted.pending = false; };
      port1.postMessage(0);
    });
  };

  const act = (event) => {
    if (!event.isTrusted) return;
    Object.assign(noted, { acted: event.timeStamp, answers: 0, firstAnswer: 0, lastAnswer: 0, drawn: 0 });
    change("act");
  };
  for (const kind of ["pointerdown", "keydown"]) window.addEventListener(kind, act, true);

  const isSeen = ({ target }) => !(target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement)?.closest("canvas");
  const watcher = new MutationObserver((records) => {
    const seen = records.findLast(isSeen); // what stands in a canvas is read aloud, not drawn
    if (seen) change(`${seen.type} ${seen.attributeName ?? ""}`);
  });
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  watcher.observe(document, everything);
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    watcher.observe(root, everything);
    return root;
  };

  const draws = [
    [CanvasRenderingContext2D, ["clearRect", "drawImage", "fill", "fillRect", "fillText", "stroke"]],
    [WebGLRenderingContext, ["clear", "drawArrays", "drawElements"]],
    [WebGL2RenderingContext, ["clear", "drawArrays", "drawElements"]],
  ];
  for (const [{ prototype }, names] of draws) {
    for (const name of names) {
      const draw = prototype[name];
      prototype[name] = function (...given) {
        if (this.canvas.isConnected) change("canvas"); // not one in which texts are measured
        return draw.apply(this, given);
      };
    }
  }

  for (const kind of ["load", "animationend", "transitionend"]) window.addEventListener(kind, () => change(kind), true);
  document.fonts.addEventListener("loadingdone", () => change("font"));

  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", () => {
        noted.lastAnswer = performance.now();
        noted.firstAnswer ||= noted.lastAnswer;
        noted.answers += 1;
        change("answer");
      });
    }
  };

  const UNFINISHED = ["stSkeleton", "stSpinner", "stStatusWidget"].map((name) => `[data-testid=${name}]`).join();
  const isEnding = ({ playState, effect }) => playState === "running" && effect.getComputedTiming().endTime < Infinity
    && effect.target.checkVisibility(); // what is folded away does not move on

  // Whether nothing has changed for `quiet` milliseconds and nothing is under way, the server having sent `answers` messages at least.
  noted.isStill = (quiet, answers) =>
    noted.answers >= answers
    && !noted.pending
    && noted.drawn > 0
    && performance.now() - noted.drawn > quiet
    && document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
    && !document.querySelector(UNFINISHED)
    && document.fonts.status === "loaded"
    && [...document.images].every((image) => image.complete)
    && !document.getAnimations().some(isEnding);
})();
