// Accuracy while features are pruned: a line is the mean of a method's runs, a band one deviation to either side.
const picture = control("picture");
const words = control("words");
let shown = null;

function draw() {
  const graph = data.datasets[control("dataset").value];
  const part = control("part").value;
  const curves = Object.entries(graph.curves).map(([name, curve]) => ({ name, ...curve[part] }));
  // The first few epochs climb from chance and may leave the picture below.
  const means = curves.flatMap((curve) => curve.mean).filter((value) => value !== null).sort((a, b) => a - b);
  const floor = means[Math.floor(0.03 * means.length)];
  const { x, y } = makeChart(picture, {
    xRange: [0, graph.epochs[graph.epochs.length - 1]],
    yRange: rangeOf([floor, means[means.length - 1]]),
    xLabel: "epoch",
    yLabel: `${part} ${graph.metric} (%)`,
  });
  const clip = element(element(picture, "defs", {}), "clipPath", { id: "inside" });
  const box = { x: SIZE.left, y: 0, width: SIZE.width, height: SIZE.height - SIZE.bottom };
  element(clip, "rect", box);
  for (const cut of graph.prunings) element(picture, "line", { class: "cut", x1: x(cut), x2: x(cut), y1: 0, y2: box.height });
  for (const curve of curves) drawCurve(curve, graph.epochs, x, y);
  control("legend").replaceChildren(...curves.map((curve) => legendEntry(curve.name)));
  shown = { graph, curves, x };
  words.textContent = `${graph.label}: ${graph.runs}. Point at an epoch to read it.`;
}

function drawCurve(curve, epochs, x, y) {
  const colour = data.colours[curve.name] ?? "currentColor";
  const known = epochs.map((epoch, index) => index).filter((index) => curve.mean[index] !== null);
  if (control("bands").checked && curve.spread) {
    const edge = (sign) => known.map((index) => `${x(epochs[index])},${y(curve.mean[index] + sign * curve.spread[index])}`);
    const points = [...edge(1), ...edge(-1).reverse()].join(" ");
    element(picture, "polygon", { class: "band", points, fill: colour, "clip-path": "url(#inside)" });
  }
  const points = known.map((index) => `${x(epochs[index])},${y(curve.mean[index])}`).join(" ");
  const look = { class: "curve", points, stroke: colour, "clip-path": "url(#inside)", "data-name": curve.name };
  element(picture, "polyline", curve.name === "full" ? { ...look, "stroke-dasharray": "6 3" } : look);
}

function legendEntry(name) {
  const entry = document.createElement("span");
  const line = document.createElement("i");
  line.style.background = data.colours[name] ?? "currentColor";
  entry.append(line, data.labels[name]);
  return entry;
}

function tell(event) {
  const { graph, curves, x } = shown;
  const [px] = place(picture, event);
  const away = graph.epochs.map((epoch) => Math.abs(x(epoch) - px));
  const index = away.indexOf(Math.min(...away));
  const said = curves
    .filter((curve) => curve.mean[index] !== null)
    .map((curve) => `${data.labels[curve.name]} ${curve.mean[index].toFixed(1)}`);
  words.textContent = `Epoch ${graph.epochs[index]}, ${graph.left[index]} % of the features left: ${said.join(", ")}.`;
}

fill("dataset", Object.entries(data.datasets).map(([name, graph]) => [name, graph.label]), Object.keys(data.datasets)[0]);
for (const name of ["dataset", "part", "bands"]) control(name).addEventListener("change", draw);
picture.addEventListener("pointermove", tell);
picture.addEventListener("pointerdown", tell);
draw();
