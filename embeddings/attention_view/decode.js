// Weights as they travel: base64 of float16 (one head) or of bytes (the thumbnails of all heads); and which of them are lines.

const POWERS = Array.from({ length: 32 }, (_, exponent) => 2 ** (exponent - 25));

function bytesOf(text) {
  const signs = atob(text);
  const bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at += 1) bytes[at] = signs.charCodeAt(at);
  return bytes;
}

// Weights are never negative, so the sign bit is left alone.
function halvesOf(text) {
  const bytes = bytesOf(text);
  const values = new Float32Array(bytes.length / 2);
  for (let at = 0; at < values.length; at += 1) {
    const bits = bytes[2 * at] | (bytes[2 * at + 1] << 8);
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    values[at] = exponent ? POWERS[exponent] * (1024 + fraction) : fraction * 2 ** -24;
  }
  return values;
}

// One head of one text: values row by row, the largest of them, and the cells that are drawn as lines, weak ones first.
function matrixOf(panel, head) {
  const values = halvesOf(panel.weights[head]);
  let top = 0;
  for (const value of values) if (value > top) top = value;
  const Cells = values.length > 65536 ? Uint32Array : Uint16Array;
  const lines = new Cells(bytesOf(panel.lines[head]).buffer);
  return { values, rows: panel.from.length, columns: panel.to.length, top, lines };
}
