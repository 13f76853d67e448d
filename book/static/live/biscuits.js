// A board of any size: where a square leads, which squares are cold, and the golden lines.
"use strict";

LearnedAndChecked.live.draw("biscuits", (panel, tables) => {
  const { s } = LearnedAndChecked.live, CELL = 44, TOP = 4;
  const cold = new Set(tables.cold.map(String));
  let [wide, high] = tables.start, marks = new Set(), here = null, told = null, truth = false, lines = false;

  const squares = () => {
    const all = [];
    for (let a = 0; a <= wide; a++) for (let b = 0; b <= high; b++) all.push([a, b]);
    return all.sort((one, other) => one[0] + one[1] - other[0] - other[1] || one[0] - other[0]);
  };
  // Fewer of one kind, of the other, or as many fewer of both.
  const leads = ([a, b]) => {
    const found = [];
    for (let left = 0; left < a; left++) found.push([left, b]);
    for (let left = 0; left < b; left++) found.push([a, left]);
    for (let n = 1; n <= Math.min(a, b); n++) found.push([a - n, b - n]);
    return found;
  };
  const named = ([a, b]) => `(${a}, ${b})`;
  // Letters grow with the board, which is shown smaller; beside it there is room for two digits and a name.
  const size = () => Math.max(15, Math.min(30, ((wide + 1) * CELL) / 31)), edge = () => 2.6 * size();
  const x = (a) => edge() + (a + 0.5) * CELL, y = (b) => TOP + (high - b + 0.5) * CELL;

  const visit = (square) => {
    if (String(here) === String(square)) return;
    here = square;
    const moves = leads(square).length, marked = marks.has(String(square));
    panel.say(`From ${named(square)} ${moves === 0 ? "no move is left: whoever finds it has lost" : moves === 1 ? "there is 1 move" : `there are ${moves} moves`}${marked ? "; you call it cold" : ""}.`);
    paint();
  };
  const press = (square) => {
    const key = String(square);
    if (!marks.delete(key)) marks.add(key);
    told = here = null;
    visit(square);
    paint();
    parts.get(key)[0].setAttribute("aria-pressed", marks.has(key));
  };

  // The first wrong one, nearest the corner: all squares that it leads to are rightly marked.
  const check = () => {
    const wrong = squares().find((square) => marks.has(String(square)) !== cold.has(String(square)));
    told = wrong ?? null;
    here = null;
    const right = squares().filter((square) => cold.has(String(square))).length;
    if (!wrong) panel.say(`All ${right} cold squares are found, and no other is marked.`);
    else if (cold.has(String(wrong))) panel.say(`${named(wrong)} is cold: ${leads(wrong).length ? "no move from it leads to a cold square" : "no move is left there"}.`);
    else panel.say(`${named(wrong)} is not cold: one can move from it to ${named(leads(wrong).find((one) => cold.has(String(one))))}, which is.`);
    paint();
  };

  let parts = new Map(), path;
  const paint = () => {
    const reach = new Set(here ? leads(here).map(String) : []);
    for (const [key, [part]] of parts) {
      const wrong = truth && marks.has(key) !== cold.has(key) && marks.size > 0;
      part.classList.toggle("full", truth ? cold.has(key) : marks.has(key));
      part.classList.toggle("reached", reach.has(key));
      part.classList.toggle("here", String(here) === key);
      part.classList.toggle("wrong", String(told) === key || wrong);
    }
    path.style.display = lines ? "" : "none";
    golden.disabled = !truth;
  };
  // With the truth shown, a square says aloud what it is.
  const label = (square) => `${named(square)}${truth ? (cold.has(String(square)) ? ", cold" : ", hot") : ""}`;
  const draw = () => {
    parts = new Map();
    const width = edge() + (wide + 1) * CELL + 4, foot = TOP + (high + 1) * CELL;
    const cells = squares().map((square) => {
      const [a, b] = square, key = String(square), left = x(a) - CELL / 2 + 2, top = y(b) - CELL / 2 + 2;
      const part = panel.cell([a, -b], label(square), { press: truth ? null : () => press(square), visit: () => visit(square), pressed: truth ? null : String(marks.has(key)) },
        s("rect", { class: "box", x: left, y: top, width: CELL - 4, height: CELL - 4, rx: 5 }),
        s("circle", { class: "dot", cx: x(a), cy: y(b), r: 6 }),
        s("path", { class: "cross bad-line", d: `M${left + 8} ${top + 8}l24 24m0-24l-24 24` }));
      parts.set(key, [part]);
      return part;
    });
    // Both lines start in the corner and end at the edge of the board.
    const line = (slope) => {
      const end = Math.min(wide, high / slope);
      return `M${x(0)} ${y(0)}L${x(end)} ${y(end * slope)}`;
    };
    path = s("path", { class: "golden", d: line(tables.golden) + line(1 / tables.golden) });
    const style = `font-size:${size()}px`, numbers = [];
    for (let a = 0; a <= wide; a++) numbers.push(s("text", { x: x(a), y: foot + size() * 0.8, style }, String(a)));
    for (let b = 0; b <= high; b++) numbers.push(s("text", { x: edge() - size() * 0.8, y: y(b), style }, String(b)));
    panel.draw(width, foot + size() * 2.9, "The board", cells, path, numbers,
      s("text", { x: x(wide / 2), y: foot + size() * 2.1, style }, "Digestives"),
      s("text", { transform: `translate(${size() * 0.6} ${y(high / 2)}) rotate(-90)`, style }, "Rich Teas"));
    paint();
  };

  const sizes = Array.from({ length: tables.most }, (_, k) => [k + 1, k + 1]);
  const begin = () => {
    marks = new Set();
    here = told = null;
    truth = lines = false;
    draw();
    panel.say("No square is marked yet.");
  };
  panel.choice("Digestives", sizes, wide, (size) => { wide = Number(size); begin(); });
  panel.choice("Rich Teas", sizes, high, (size) => { high = Number(size); begin(); });
  panel.button("Check my squares", check);
  panel.button("Show the truth", () => {
    truth = true;
    told = here = null;
    const right = squares().filter((square) => cold.has(String(square))), mine = right.filter((square) => marks.has(String(square))).length;
    draw();
    panel.say(`${right.length} squares are cold.${marks.size ? ` You had marked ${mine} of them, and ${marks.size - mine} that are hot.` : ""}`);
  });
  const golden = panel.button("Draw two lines", () => {
    lines = true;
    panel.say(`The cold squares lie close to two lines, of slopes ${tables.golden.toFixed(3)} and ${(1 / tables.golden).toFixed(3)}.`);
    paint();
  });
  panel.button("Begin anew", begin);
  begin();
});
