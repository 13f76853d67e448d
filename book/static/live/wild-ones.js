// A round to listen to: each bid crosses out the hands that its maker cannot hold; then it is your turn.
"use strict";

LearnedAndChecked.live.draw("wild-ones", (panel, tables) => {
  const { h, s, show } = LearnedAndChecked.live, { hands, names, rounds } = tables;
  const YOU = 0, WIDE = 38, HIGH = 27, GAP = 28, TOP = 30, MOST = 5;
  const NUMBERS = ["", "one", "two", "three", "four", "five", "six"];
  let number = 0, heard = 0, asked = false, right = 0, answered = 0;

  const round = () => rounds[number], turn = () => round().turns[heard];
  const dealt = (player) => round().dealt[round().order.indexOf(player)];
  const isBid = (says) => /^\d/.test(says);
  const words = (says) => {
    if (!isBid(says)) return says;
    const [quantity, face] = says.split("x").map(Number);
    return `${NUMBERS[quantity]} ${NUMBERS[face]}${quantity > 1 ? (face === 6 ? "es" : "s") : ""}`;
  };
  const who = (player) => (player === YOU ? "you" : `the ${names[player]}${names[player] === "aggressive" ? " player" : ""}`);
  const Word = (word) => word[0].toUpperCase() + word.slice(1), Who = (player) => Word(who(player));
  const over = () => heard === round().turns.length;
  const left = (player) => round().turns.slice(0, heard).filter((one) => one.by === player).at(-1)?.left ?? "1".repeat(hands.length);
  const count = (player) => [...left(player)].filter((one) => one === "1").length;

  // The hands of one opponent as a triangle: a row for the lower die, a column for the higher one.
  const triangle = (player, x, y) => {
    const cells = hands.map((hand, place) => {
      const [low, high] = [...hand].map(Number), gone = left(player)[place] === "0", held = over() && dealt(player) === hand;
      const a = x + (high - 1) * WIDE, b = y + TOP + (low - 1) * HIGH;
      return s("g", { class: `hand${gone ? " gone" : ""}${held ? " held" : ""}` }, s("rect", { x: a + 1, y: b + 1, width: WIDE - 3, height: HIGH - 3, rx: 4 }),
        s("text", { x: a + WIDE / 2, y: b + HIGH / 2 }, `${low} ${high}`), gone ? s("path", { d: `M${a + 5} ${b + HIGH - 6}L${a + WIDE - 6} ${b + 5}` }) : null);
    });
    return s("g", {}, s("text", { class: "left", x, y: y + 14 }, `${Who(player)}: ${count(player)} hand${count(player) === 1 ? "" : "s"}`), cells);
  };
  // For those who cannot see the triangles: the hands, if they are few enough to be listened to.
  const few = (player) => (count(player) > MOST ? `${count(player)} hands` : hands.filter((_, place) => left(player)[place] === "1").map((hand) => [...hand].join(" and ")).join(", or "));
  const draw = () => {
    const others = names.map((_, player) => player).filter((player) => player !== YOU), width = 6 * WIDE, height = TOP + 6 * HIGH + 2;
    const [across, down] = panel.narrow ? [0, height + 8] : [width + GAP, 0];
    panel.draw(width + across, height + down, others.map((player) => `${Who(player)} can hold ${few(player)}`).join(". "),
      others.map((player, place) => triangle(player, place * across, place * down)));
    const yours = !over() && turn().by === YOU;
    next.textContent = over() ? "Next round" : "Listen on";
    next.setAttribute("aria-disabled", yours && !asked);
    for (const button of choices) button.disabled = !yours || asked;
    log.replaceChildren(...round().turns.slice(0, heard).map((one) => h("li", {}, `${Who(one.by)}: ${words(one.says)}`)));
    seats.textContent = `You hold ${[...dealt(YOU)].join(" and ")}. Two dice each; the order of play: ${round().order.map(who).join(", ")}.`;
    tally.textContent = answered ? `You were right in ${right} of ${answered}.` : "";
  };
  const begin = () => {
    heard = 0;
    asked = false;
    more.replaceChildren();
    panel.say(`Round ${number + 1} of ${rounds.length}. ${Who(round().order[0])} opens.`);
    draw();
  };

  const step = () => {
    if (next.getAttribute("aria-disabled") === "true") return;
    if (over()) {
      number = (number + 1) % rounds.length;
      return begin();
    }
    const one = turn(), last = round().turns[heard - 1];
    heard += 1;
    asked = false;
    more.replaceChildren();
    const says = one.by === YOU ? `You say: ${words(one.says)}.` : `${Who(one.by)} says: ${words(one.says)}.${isBid(one.says) ? ` It can hold ${few(one.by)}.` : ""}`;
    panel.say(over() ? `${says} ${ending(last.says)}` : turn().by === YOU ? `${says} It is your turn.` : says);
    return draw();
  };
  // All cups are lifted; ones are wild.
  const ending = (bid) => {
    const [, face] = bid.split("x").map(Number), there = round().dealt.join("").split("").filter((die) => [1, face].includes(Number(die))).length;
    const { who: hit, change } = round(), verb = (word) => (hit === YOU ? word : `${word}s`);
    const fate = change < 0 ? `${who(hit)} ${verb("lose")} a die` : change ? `${who(hit)} ${verb("win")} a die back` : `${who(hit)} ${hit === YOU ? "are" : "is"} right, with all dice still there`;
    return `The bid was ${words(bid)}, and ${there} ${there === 1 ? "die counts" : "dice count"}: ${fate}.`;
  };
  const answer = (kind) => {
    asked = true;
    answered += 1;
    const { worth, says } = turn(), top = Math.max(...worth.map(([, value]) => value)), sort = (name) => (isBid(name) ? "outbid" : name);
    // Of the bids only the best counts, and whatever is level with the best is right.
    const best = (one) => Math.max(...worth.filter(([name]) => sort(name) === one).map(([, value]) => value));
    const good = best(kind) >= top;
    right += Number(good);
    const shown = [...worth].sort((a, b) => b[1] - a[1]).filter(([name], place) => place < MOST || !isBid(name));
    const yours = kind === "outbid" ? "The best bid" : Word(kind);
    panel.say(`${good ? "Right" : "No"}: ${words(says)} is best, and wins ${show(100 * top, 2)} % of games if you go on like that.${good ? "" : ` ${yours} wins ${show(100 * best(kind), 2)} %.`}`);
    more.replaceChildren(h("table", {}, h("caption", { class: "live-caption" }, "What you may say, and how often you then win the game"),
      h("tbody", {}, shown.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, words(name)), h("td", {}, `${show(100 * value, 2)} %`))))));
    draw();
    next.focus();
  };
  const next = panel.button("Listen on", step);
  const choices = ["outbid", "liar", "exact"].map((kind) => panel.button(Word(kind), () => answer(kind)));
  const seats = h("p", { class: "live-seats" }), log = h("ol", { class: "live-log" }), more = h("div", {}), tally = h("p", { class: "live-tally" });
  panel.scene.before(seats);
  panel.more.append(log, more, tally);
  panel.fits(draw);
  begin();
});
