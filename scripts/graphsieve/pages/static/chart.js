// What every interactive picture needs: its data, its size, scales, axes, and the point nearest to the pointer.
// On a phone the picture has fewer units, so that its words stay readable.
const UNITS = document.documentElement.clientWidth < 600 ? { width: 400, height: 360 } : { width: 760, height: 460 };
const SIZE = { ...UNITS, left: 62, right: 16, top: 14, bottom: 44 };
const data = JSON.parse(document.getElementById("data").textContent);
const control = (name) => document.getElementById(name);

function element(parent, name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function fill(name, options, chosen) {
  control(name).replaceChildren(
    ...options.map(([value, label]) => new Option(label, value, value === chosen, value === chosen)),
  );
}

// Round numbers within a range, about five of them, whichever of its ends is named first.
function ticks(one, other) {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const marks = [];
  for (let mark = Math.ceil(low / step) * step; mark <= high + step * 1e-6; mark += step) marks.push(mark);
  return marks;
}

const short = (value) => String(Number(value.toPrecision(4))).replace("-", "−");

// An empty picture with axes; `x` and `y` turn values into places.
function makeChart(svg, { xRange, yRange, xLabel, yLabel }) {
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${SIZE.width} ${SIZE.height}`);
  const scale = ([low, high], from, to) => (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  const bottom = SIZE.height - SIZE.bottom;
  const x = scale(xRange, SIZE.left, SIZE.width - SIZE.right);
  const y = scale(yRange, bottom, SIZE.top);
  for (const mark of ticks(...xRange)) {
    element(svg, "line", { class: "grid", x1: x(mark), x2: x(mark), y1: SIZE.top, y2: bottom });
    element(svg, "text", { class: "tick", x: x(mark), y: bottom + 17, "text-anchor": "middle" }, short(mark));
  }
  for (const mark of ticks(...yRange)) {
    element(svg, "line", { class: "grid", x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: y(mark), y2: y(mark) });
    element(svg, "text", { class: "tick", x: SIZE.left - 7, y: y(mark) + 4, "text-anchor": "end" }, short(mark));
  }
  const middle = (SIZE.left + SIZE.width - SIZE.right) / 2;
  element(svg, "text", { class: "name", x: middle, y: SIZE.height - 6, "text-anchor": "middle" }, xLabel);
  const turned = `translate(14 ${(SIZE.top + bottom) / 2}) rotate(-90)`;
  element(svg, "text", { class: "name", transform: turned, "text-anchor": "middle" }, yLabel);
  return { x, y };
}

// The least and the most of some numbers, with a little room around them.
function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const room = (high - low || 1) * 0.04;
  return [low - room, high + room];
}

// Where the pointer is, in the units of the picture.
function place(svg, event) {
  const box = svg.getBoundingClientRect();
  return [
    ((event.clientX - box.left) / box.width) * SIZE.width,
    ((event.clientY - box.top) / box.height) * SIZE.height,
  ];
}
