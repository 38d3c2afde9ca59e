// A lesson in a file: a guess is checked, and after the last one the file says how many were right.

const right = JSON.parse(document.getElementById("lesson").textContent);
const guesses = right.map(() => null);

function showOne(parent, number) {
  [...parent.children].forEach((each, other) => {
    each.hidden = other !== number;
  });
}

document.querySelectorAll(".step").forEach((section, step) => {
  const options = [...section.querySelectorAll(".options button")];
  options.forEach((option, position) => {
    option.addEventListener("click", () => {
      guesses[step] = position;
      for (const each of options) each.setAttribute("aria-pressed", each === option);
      options[right[step]].className = "right";
      showOne(section.querySelector(".verdicts"), position);
      section.querySelector(".solved").hidden = false;
      if (guesses.includes(null)) return;
      showOne(document.getElementById("score"), guesses.filter((guess, at) => guess === right[at]).length);
      document.getElementById("remember").hidden = false;
    });
  });
});
