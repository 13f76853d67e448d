// Every learner at every table: a coloured number for each, and below the table the curve behind the one that is pressed.
"use strict";

LearnedAndChecked.live.draw("every-table", (panel, tables) => {
  const { s, show } = LearnedAndChecked.live, { games, learners, cells } = tables;
  const NAME = 138, HEAD = 62, ROW = 26, LEFT = 52, HIGH = 250, LEAST = 1e-5, MOST = 10, FROM = 1e3, TO = 2e6;
  let chosen = null;

  const last = (cell) => cell.median[cell.median.length - 1];
  // As many digits as a reader wants: 1.12, 0.43, 0.031, and less than that as a power of ten.
  const short = (one) => (one === null ? "∞" : one >= 0.0995 ? show(one, 2) : one >= 0.00095 ? show(one, 3) : one === 0 ? "0" : one < LEAST ? "<10⁻⁵" : `10${[..."⁻" + Math.round(-Math.log10(one))].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] || c).join("")}`);
  // From 0 at a hundred-thousandth to 1 at random play, by powers of ten.
  const share = (one) => (one === null ? 1.2 : Math.min(1.2, Math.max(0, 1 + Math.log10(Math.max(one, LEAST)) / 5)));
  const shade = (one) => (share(one) >= 1 ? "worse" : `step${Math.floor(share(one) * 5)}`);
  const words = (row, column) => {
    const cell = cells[row][column];
    return cell ? `${learners[row]}, ${games[column]}: ${last(cell) === null ? "might play on for ever" : short(last(cell))}` : "";
  };
  const label = (text, x, y, kind = "") => s("text", { x, y, class: kind }, text);

  // Names of games in short lines.
  const heading = (name, x) => {
    const lines = [];
    for (const word of name.split(" ")) {
      if (lines.length && `${lines.at(-1)} ${word}`.length <= 10) lines.push(`${lines.pop()} ${word}`);
      else lines.push(word);
    }
    return lines.map((line, k) => label(line, x, 16 + 16 * k, "small"));
  };
  const block = (columns, number, top, wide) => [
    columns.map((column, k) => s("g", { transform: `translate(0 ${top})` }, heading(games[column], NAME + (k + 0.5) * wide))),
    learners.map((name, row) => [
      label(name, 0, top + HEAD + (row + 0.5) * ROW, "left"),
      columns.map((column, k) => {
        const cell = cells[row][column], x = NAME + k * wide, y = top + HEAD + row * ROW;
        if (!cell) return label("·", x + wide / 2, y + ROW / 2, "soft");
        const key = `${row}-${column}`, pressed = key === chosen;
        return panel.cell([k, row + number * learners.length], words(row, column), { key, pressed: String(pressed), press: () => { chosen = pressed ? null : key; draw(); } },
          s("rect", { class: `box ${shade(last(cell))}${pressed ? " here" : ""}`, x: x + 1, y: y + 1, width: wide - 2, height: ROW - 2, rx: 4 }),
          label(short(last(cell)), x + wide / 2, y + ROW / 2, shade(last(cell))));
      }),
    ]),
  ];

  const curve = (top, width) => {
    const [row, column] = chosen.split("-").map(Number), room = width - LEFT - 14;
    const x = (nodes) => LEFT + (room * Math.log10(Math.max(nodes, FROM) / FROM)) / Math.log10(TO / FROM);
    const y = (one) => top + 34 + ((HIGH - 70) * Math.log10(MOST / Math.min(MOST, Math.max(one === null ? MOST : one, LEAST)))) / Math.log10(MOST / LEAST);
    const points = (cell, what) => cell.nodes.map((nodes, k) => [x(Math.min(nodes === null ? TO : nodes, TO)), y(cell[what][k])]);
    const path = (line) => `M${line.map((pair) => pair.map((one) => one.toFixed(1)).join(" ")).join("L")}`;
    const mine = cells[row][column], flat = (cell) => (cell.nodes[0] === null ? [[LEFT, y(cell.median[0])], [LEFT + room, y(cell.median[0])]] : null);
    const bottom = top + HIGH - 36;
    return [
      label(`${learners[row]}: ${games[column]}`, LEFT, top + 12, "left"),
      [1e1, 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5].map((one) => [s("line", { class: one === 1 ? "one" : "line faint", x1: LEFT, x2: LEFT + room, y1: y(one), y2: y(one) }),
        label(one >= 0.01 ? String(one) : `10${{ 0.001: "⁻³", 0.0001: "⁻⁴", 0.00001: "⁻⁵" }[one]}`, LEFT - 8, y(one), "right soft")]),
      [1e3, 1e4, 1e5, 1e6].map((nodes) => label({ 1e3: "1,000", 1e4: "10⁴", 1e5: "10⁵", 1e6: "10⁶" }[nodes], x(nodes), bottom + 16, "soft")),
      label("states visited", LEFT + room / 2, bottom + 34, "soft"),
      cells.map((line) => line[column] && line[column] !== mine && s("path", { class: "line faint", d: path(flat(line[column]) || points(line[column], "median")) })),
      s("path", { class: "band", d: `${path([...points(mine, "high"), ...points(mine, "low").reverse()])}Z` }),
      s("path", { class: "good-line", d: path(flat(mine) || points(mine, "median")) }),
    ];
  };
  const tell = () => {
    if (!chosen) return panel.say("The bluer, the nearer to perfect play; orange is no better than random moves. A dot: the learner does not fit the game, or is too slow for it.");
    const [row, column] = chosen.split("-").map(Number), cell = cells[row][column], k = cell.median.length - 1;
    const worked = cell.nodes[k] === null ? "it plans from the rules" : `after ${Math.round(cell.nodes[k]).toLocaleString("en-GB")} states visited`;
    const left = cell.median[k] === null ? "most of its policies might play on for ever" : `${short(cell.median[k])} of the distance of random play is left`;
    const seeds = cell.seeds > 1 ? ` (${cell.seeds} seeds: ${short(cell.low[k])} to ${short(cell.high[k])})` : "";
    panel.say(`${learners[row]}, ${games[column]}: ${worked}, ${left}${seeds}.`);
  };
  const draw = () => {
    const all = games.map((_, column) => column), few = 3;
    const blocks = panel.narrow ? all.filter((k) => k % few === 0).map((k) => all.slice(k, k + few)) : [all], wide = panel.narrow ? 72 : 74;
    const width = NAME + wide * blocks[0].length, one = HEAD + learners.length * ROW + 12;
    // The curve stands below the part of the table that was pressed.
    const pressed = chosen ? blocks.findIndex((columns) => columns.includes(Number(chosen.split("-")[1]))) : blocks.length;
    panel.draw(width, one * blocks.length + (chosen ? HIGH : 0), "What each learner has left to learn of each game",
      blocks.map((columns, k) => block(columns, k, k * one + (k > pressed ? HIGH : 0), wide)), chosen ? curve(one * (pressed + 1), width) : []);
    tell();
  };
  panel.fits(draw);
});
