// The view in a file of its own: all its heads stand in the file.

new AttentionView(document.querySelector(".klyuch-attention")).receive(
  JSON.parse(document.getElementById("attention").textContent),
);
