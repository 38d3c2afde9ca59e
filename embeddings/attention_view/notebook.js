// The view in a cell of a notebook.

function drawAttention(element, data) {
  new AttentionView(make(element, "div", "klyuch-attention")).receive(data);
}
