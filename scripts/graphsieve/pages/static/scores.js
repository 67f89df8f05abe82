// A dot is a feature: its score by one method against its score by another.
const picture = control("picture");
const words = control("words");
let dots = [];

function ranks(values) {
  const order = values.map((value, index) => [value, index]).sort((one, other) => other[0] - one[0]);
  const found = new Array(values.length);
  let first = 0;
  order.forEach(([value, index], position) => {
    if (position > 0 && value !== order[position - 1][0]) first = position;
    found[index] = first + 1; // equal scores share the best rank
  });
  return found;
}

function choose() {
  const graph = data.datasets[control("dataset").value];
  const [across, up] = [control("across").value, control("up").value];
  fill("across", graph.scorers.map((name) => [name, data.labels[name]]), graph.scorers.includes(across) ? across : "npt");
  const other = graph.scorers.find((name) => name !== control("across").value);
  fill("up", graph.scorers.map((name) => [name, data.labels[name]]), graph.scorers.includes(up) ? up : other);
  draw();
}

function draw() {
  const graph = data.datasets[control("dataset").value];
  const [across, up] = [control("across").value, control("up").value];
  const byRank = control("ranks").checked;
  const [xs, ys] = [across, up].map((name) => (byRank ? ranks(graph.scores[name]) : graph.scores[name]));
  const kind = byRank ? "rank" : "score";
  const { x, y } = makeChart(picture, {
    xRange: byRank ? rangeOf(xs).reverse() : rangeOf(xs),
    yRange: byRank ? rangeOf(ys).reverse() : rangeOf(ys),
    xLabel: `${data.labels[across]}: ${kind} of a feature`,
    yLabel: `${data.labels[up]}: ${kind}`,
  });
  dots = graph.names.map((name, index) => ({ name, index, x: x(xs[index]), y: y(ys[index]) }));
  const wanted = control("find").value.trim().toLowerCase();
  const colour = data.colours[up] ?? "currentColor";
  for (const dot of dots) {
    const found = wanted !== "" && dot.name.toLowerCase().includes(wanted);
    const look = { cx: dot.x, cy: dot.y, r: found ? 5 : 2.6, fill: colour, class: found ? "dot found" : "dot" };
    element(picture, "circle", { ...look, "data-name": dot.name });
  }
  element(picture, "circle", { class: "ring", r: 7, cx: -20, cy: -20 });
  words.textContent = `${graph.names.length.toLocaleString("en")} features. Point at one to see its name.`;
}

function tell(event) {
  const [px, py] = place(picture, event);
  let nearest = null;
  let least = 400;
  for (const dot of dots) {
    const distance = (dot.x - px) ** 2 + (dot.y - py) ** 2;
    if (distance < least) [nearest, least] = [dot, distance];
  }
  const ring = picture.querySelector(".ring");
  ring.setAttribute("cx", nearest ? nearest.x : -20);
  ring.setAttribute("cy", nearest ? nearest.y : -20);
  if (!nearest) return;
  const graph = data.datasets[control("dataset").value];
  const said = graph.scorers.map((name) => `${data.labels[name]} ${short(graph.scores[name][nearest.index])}`);
  words.textContent = `Feature ${nearest.name}: ${said.join(", ")}.`;
}

fill("dataset", Object.entries(data.datasets).map(([name, graph]) => [name, graph.label]), Object.keys(data.datasets)[0]);
control("dataset").addEventListener("change", choose);
for (const name of ["across", "up", "ranks"]) control(name).addEventListener("change", draw);
control("find").addEventListener("input", draw);
picture.addEventListener("pointermove", tell);
picture.addEventListener("pointerdown", tell);
choose();
