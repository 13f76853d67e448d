// How each game looks and sounds on the page: pictures and words, plain ones where a game has none of its own. What is
// possible, and what it is worth, comes from the tables.
"use strict";

(function () {
  const book = window.LearnedAndChecked;
  const SVG = "http://www.w3.org/2000/svg";
  const FACES = ["", "one", "two", "three", "four", "five", "six"];
  const PLACES = {
    1: ["11"], 2: ["00", "22"], 3: ["00", "11", "22"], 4: ["00", "02", "20", "22"],
    5: ["00", "02", "11", "20", "22"], 6: ["00", "01", "02", "20", "21", "22"],
  };

  // An element with attributes and children; a text is a child too.
  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.flat(3).filter((child) => child !== null && child !== undefined));
    return element;
  }

  function svg(box, label, parts) {
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", box);
    if (label) {
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", label);
    } else picture.setAttribute("aria-hidden", "true");
    for (const [tag, attributes, text] of parts) {
      const part = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
      if (text) part.textContent = text;
      picture.append(part);
    }
    return picture;
  }

  function die(face, label = FACES[face]) {
    const dots = (PLACES[face] ?? []).map(([x, y]) => ["circle", { cx: 9 + 11 * y, cy: 9 + 11 * x, r: 4, class: "dot" }]);
    const hidden = face ? [] : [["text", { x: 20, y: 28, "text-anchor": "middle", class: "dot" }, "?"]];
    const picture = svg("0 0 40 40", label, [["rect", { x: 2, y: 2, width: 36, height: 36, rx: 8, class: "face" }], ...dots, ...hidden]);
    picture.classList.add("play-die");
    return picture;
  }

  const dice = (roll, counts = () => false) => [...String(roll)].map((face) => {
    const one = die(Number(face));
    one.classList.toggle("play-counts", counts(face));
    return one;
  });

  function card(letter) {
    const name = { A: "ace", K: "king", Q: "queen" }[letter] ?? "a hidden card";
    const picture = svg("0 0 40 56", name, [
      ["rect", { x: 2, y: 2, width: 36, height: 52, rx: 6, class: "face" }],
      ["text", { x: 20, y: 38, "text-anchor": "middle", class: "letter" }, letter ?? "?"],
    ]);
    picture.classList.add("play-card");
    return picture;
  }

  function biscuits(count, kind) {
    const parts = Array.from({ length: count }, (_, at) => {
      const x = 4 + 30 * (at % 6), y = 4 + 30 * Math.floor(at / 6);
      return kind
        ? ["rect", { x, y: y + 2, width: 26, height: 22, rx: 4, class: "tea" }]
        : ["circle", { cx: x + 13, cy: y + 13, r: 13, class: "digestive" }];
    });
    return svg(`0 0 184 ${count > 6 ? 64 : 34}`, null, parts);
  }

  const percent = (exact) => {
    const value = Math.abs(exact - 1) < 1e-12 ? 1 : exact; // sums of floats miss 1 by a hair
    for (const digits of [1, 3, 5]) {
      const text = (100 * value).toFixed(digits);
      if (value === 0 || value === 1 || !["0", "100"].includes(String(Number(text)))) return `${text}%`;
    }
    return value < 0.5 ? "almost 0%" : "almost 100%";
  };
  const signed = (value) => `${value < -0.0005 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
  const many = (count, one, other = `${one}s`) => `${count} ${count === 1 ? one : other}`;
  const capital = (text) => (/^(mdp|cfr)\b/.test(text) ? text.slice(0, 3).toUpperCase() + text.slice(3) : text.charAt(0).toUpperCase() + text.slice(1));
  const spelled = (roll) => (roll ? [...roll].join(" ") : "nothing");
  const plural = (face) => (face === 6 ? "sixes" : `${FACES[face]}s`);
  const verb = (match, seat, one, other = `${one}s`) => `${match.shown[seat]} ${seat === match.seat ? one : other}`;
  const button = (label, attributes, ...children) =>
    h("button", { type: "button", "aria-label": label, class: "play-move", ...attributes }, ...children);

  const bidText = ([quantity, face]) => `${quantity}x${face}`;
  const bidName = ([quantity, face]) => `${quantity}x${face}: ${many(quantity, FACES[face], plural(face))}`;

  // A text in which each bid, such as 2x3, is drawn.
  const pictured = (text) => text.split(/(\b\d+x[1-6]\b)/).map((part) => {
    const bid = /^(\d+)x([1-6])$/.exec(part);
    return bid ? h("span", { class: "play-bid" }, `${bid[1]}×`, die(Number(bid[2]))) : part;
  });

  // Any game: moves by their labels, and the state as the text of what the reader knows. Nothing else of a position
  // is shown before the end, so that nothing hidden can be.
  const plain = {
    about: { random: "any move", solver: "the exact solution, which nothing beats in the long run" },
    scene: (match) => (match.over
      ? h("p", { class: "play-said" }, `The game: ${match.state.past.join(", ")}`)
      : h("p", { class: "play-said" }, "You know: ", h("strong", {}, match.game.knows(match.state, match.seat)))),
    moves: (match, choose) => h("div", { class: "play-group", role: "group", "aria-label": "Your actions" },
      match.game.legal(match.state).map((move, place) => button(move.word, { onclick: () => choose(place) }, capital(move.word)))),
    // Known against others who are all the same; an agent's `worth` is that of the reader's moves against it.
    values: (match, state) => {
      const [one, ...more] = match.names.filter((_, seat) => seat !== match.seat);
      const worth = more.every((other) => other === one) ? match.agents[one ?? Object.keys(match.agents)[0]].worth : null;
      const values = worth?.[match.seat][match.game.knows(state, match.seat)];
      return values ? { values } : null;
    },
    unknown: () => "What is best here has not been worked out.",
    // Whether there is an answer against these opponents at this table.
    answers: (match) => {
      const [one, ...more] = match.names.filter((_, seat) => seat !== match.seat);
      return more.every((other) => other === one) && match.agents[one ?? Object.keys(match.agents)[0]].worth !== undefined;
    },
    worth: (value) => `${signed(value)} on average`,
    cost: (value) => `${value.toFixed(3)} on average`,
    // What to look at in the end, if a game has more to show than its last position.
    final: () => null,
    truth: "what you gain from then on, on average, if you play as well as possible against these opponents",
    named: (match, state, move) => move.word,
    tell: (match, { before, after, mover, place, move }) => {
      const chance = mover === book.CHANCE, { game, seat } = match;
      const named = `${chance ? `chance: ${move.word}` : `${verb(match, mover, "play")} ${move.word}`}.`;
      if (seat === null || mover === seat || game.tables.seen) return h("span", {}, named);
      const [then, now] = [before, after].map((state) => game.knows(state, seat));
      if (then === now) return null;
      const shows = (text) => text.split(move.label).length;
      // A text may contain a move by chance: it tells the move only if no other would have led to the same text.
      const alone = () => game.moves(before).every((_, at) => at === place || game.knows(game.child(before, at), seat) !== now);
      return h("span", {}, shows(now) > shows(then) && alone() ? named : chance ? "chance moves." : `${verb(match, mover, "move")}.`);
    },
    ends: () => false,
    result: (match, rival) => {
      const gains = match.game.returns(match.state), score = gains[match.seat];
      const others = rival ? [[rival.shown[0], rival.game.returns(rival.state)[0]]]
        : match.shown.map((name, seat) => [name, gains[seat]]).filter((_, seat) => seat !== match.seat);
      const won = others.every(([, gain]) => gain < score);
      const said = others.map(([name, gain]) => `, ${name} ${gain}`).join("");
      return { text: `You ${won && others.length ? "win: you " : ""}score ${score}${said}.`, score, won };
    },
    tally: ({ games, score, won }) => `${many(games, "game")}, ${won} won; ${(score / games).toFixed(2)} points a game`,
  };

  // What both games with dice under cups share.
  const cups = {
    values: (match, state) => {
      const { game, agents, names, seat } = match;
      return book.best(game, agents, names, state, seat);
    },
    unknown: (match) => {
      const others = match.names.filter((name) => name !== "you");
      if (others.some((name) => match.agents[name].by === "heard")) return "What is best against an agent that remembers the whole round has not been worked out.";
      const equal = others.map((name) => match.agents[name]).find((agent) => agent.by === "round");
      if (equal) return `Who opens is drawn. Over many games no way of playing wins more than ${(100 * (1 - equal.wins)).toFixed(2)}% against this opponent.`;
      const some = Object.keys(match.game.tables.exact ?? {});
      if (some.length === 1) return `What is best is known here against ${[...new Set(some[0].split(","))].join(" and ")} only.`;
      if (some.length) return "What is best is known here against other opponents only.";
      return "What is best at a table of this size takes too long to work out.";
    },
    worth: percent,
    cost: (value) => percent(value).replace("%", " percentage points"),
    truth: "your probability of winning the game against these opponents, if you play as well as possible from then on",
    // Of those who have bid in this round; their bids have told something.
    held: (match, found) => Object.entries(found.hands).filter(([, hands]) => hands.told).map(([seat, { hands }]) => {
      const some = [...hands].sort((a, b) => b[1] - a[1]), more = some.length > 5 ? ` and ${some.length - 5} more` : "";
      return `By its bids, ${match.shown[seat]} can hold ${some.slice(0, 5).map(([hand, share]) => `${spelled(hand)} (${percent(share)})`).join(", ")}${more}.`;
    }),
    answers: (match) => {
      const others = match.names.filter((name) => name !== "you");
      return others.every((name) => match.agents[name].by !== "heard") && book.exact(match.game, match.agents, others) !== undefined;
    },
    // `event` is the end of a round, of which everything is shown; `open` shows all dice, as a game that is over may.
    scene: (match, event = null, open = false) => {
      const { game } = match, state = event ? event.before : match.state;
      const bid = event && state.bids[state.bids.length - 1], counts = (face) => event !== null && game.counted(face, bid[1]) > 0;
      const loser = event && cups.judged(match, event).seat;
      return [
        h("ul", { class: "play-seats" }, match.names.map((name, seat) => {
          const count = state.counts[seat], roll = state.rolls[seat], seen = roll && (event || open || seat === match.seat);
          const hidden = () => [h("span", { class: "play-heard" }, `${many(count, "hidden die", "hidden dice")}`), Array.from({ length: count }, () => die(0, null))];
          const shown = !count ? "out" : match.over && !event && !open ? many(count, "die", "dice") : seen ? dice(roll, counts) : hidden();
          const left = loser === seat ? h("span", { class: "play-left" }, `now ${many(event.after.counts[seat], "die", "dice")}`) : null;
          return h("li", { class: (event ? seat === loser : seat === match.player) ? "now" : null },
            h("strong", {}, capital(match.shown[seat])), " ", h("span", { class: "play-dice" }, shown), left);
        })),
        event ? cups.verdict(match, event) : h("p", { class: "play-said" }, match.over ? "" : cups.said(match, state, game)),
      ];
    },
    // How a challenge ended; `right` says whether what the challenger said is true.
    judged: (match, { before, after, mover, move }) => {
      const { game } = match, { there, seat, change } = game.outcome(before, move.label), last = before.bids[before.bids.length - 1];
      const lost = after.counts[seat] - before.counts[seat];
      const ending = lost < 0 ? `${verb(match, seat, "lose")} a die` : lost > 0 ? `${verb(match, seat, "win")} a die back` : `${verb(match, seat, "have", "has")} all dice already`;
      const out = after.counts[seat] ? "" : ` and ${verb(match, seat, "are", "is")} out`;
      const bidder = game.speaker(before, before.bids.length - 1), right = change > 0 || seat !== mover;
      return { there, last, seat, bidder, right, ending: `${ending}${out}` };
    },
    verdict: (match, event) => {
      const { there, last, bidder, right, ending } = cups.judged(match, event);
      const said = match.words.challenge(verb(match, event.mover, "say"), verb(match, event.mover, "call"), event.move.label);
      const relation = there < last[0] ? "fewer than were bid" : there > last[0] ? "more than were bid" : "exactly as many as were bid";
      const whose = bidder === match.seat ? "your bid" : `${match.shown[bidder]}’s bid`;
      return h("p", { class: "play-said play-verdict" }, pictured(`${capital(said)} ${whose} of ${bidText(last)}. There ${there === 1 ? "is" : "are"} ${there}, ${relation}: ${verb(match, event.mover, "are", "is")} ${right ? "right" : "wrong"}. `), h("strong", {}, `${capital(ending)}.`));
    },
    said: (match, state) => {
      if (!state.bids.length) return "Nothing has been bid.";
      const last = state.bids[state.bids.length - 1], bidder = match.game.speaker(state, state.bids.length - 1);
      return h("span", {}, `Last bid, by ${match.shown[bidder]}: `, h("strong", {}, pictured(bidText(last))), ` among ${match.game.total(state)} dice.`);
    },
    roll: (match, { before, move, after }) => {
      let seat = before.rolls.length;
      while (!before.counts[seat]) seat += 1;
      const rolled = seat === match.seat ? [h("span", {}, "you roll ", dice(move.label), ".")] : [];
      if (after.bids.length && match.game.tables.opening) rolled.push(h("span", {}, pictured(` By the rules, ${verb(match, after.opener, "open")} with ${bidText(after.bids[0])}.`)));
      return rolled.length ? rolled : null;
    },
    tell: (match, event) => {
      const { before, after, mover, move } = event, { game } = match;
      if (before.opener < 0) return h("span", {}, `${capital(verb(match, event.place, "open"))} the first round.`);
      if (mover === book.CHANCE) return cups.roll(match, event);
      if (move.bid) return h("span", {}, pictured(`${verb(match, mover, ...match.words.bid)} ${bidText(move.bid)}.`));
      const { there, last, ending } = cups.judged(match, event);
      const said = match.words.challenge(verb(match, mover, "say"), verb(match, mover, "call"), move.label);
      return h("span", {}, pictured(`${said} ${bidText(last)}. `), match.names.map((_, one) =>
        before.rolls[one] ? [h("span", { class: "play-shown" }, `${capital(match.shown[one])} `, dice(before.rolls[one]), ";"), " "] : null),
      `there ${there === 1 ? "is" : "are"} ${there}. ${capital(ending)}.`);
    },
    ends: (event) => event.mover >= 0 && !event.move.bid,
    result: (match) => {
      if (match.stuck) return { text: "You are out, and the others would raise for ever: none of them has learned to call a bid so high.", score: 0 };
      const winner = match.game.returns(match.state).indexOf(1);
      return { text: `${capital(verb(match, winner, "win"))} the game.`, score: winner === match.seat ? 1 : 0 };
    },
    final: (match) => {
      const last = match.events[match.events.length - 1];
      return cups.ends(last) ? cups.scene(match, last) : null; // a game that has been stopped ends with a bid
    },
    // A round that is over waits to be looked at.
    waits: true,
    tally: ({ games, score }) => `${many(games, "game")}, ${score} won`,
  };

  // A roll with every number that shows twice or more turned over, and the sentences that say so.
  function turned(roll) {
    const times = (face) => roll.filter((other) => other === face).length;
    const said = [...new Set(roll)].filter((face) => times(face) > 1).map((face) => `The ${times(face)} ${plural(face)} turn over and become ${plural(7 - face)}.`);
    return { dice: roll.map((face) => (times(face) > 1 ? 7 - face : face)), said };
  }

  // How a score of three dice comes about: doubles, then what was paid, one by one.
  function scored(match) {
    const { game, events } = match, roll = game.shown(events[events.length - 1].before), after = turned(roll);
    const score = game.returns(match.state)[0];
    const paid = events.map(({ before, after: then }) => game.returns(then)[0] - game.returns(before)[0]).filter((gain) => gain < 0);
    const line = (...parts) => h("li", {}, parts);
    return h("div", { class: "play-score" },
      h("p", {}, h("strong", {}, capital(match.shown[0])), " stopped with ", dice(roll.join("")), "."),
      h("ol", {},
        after.said.map((words) => line(words)),
        line(dice(after.dice.join("")), ` ${after.dice.join(" + ")} = ${game.tables.scores[roll.join()]}`),
        paid.map((gain, at) => line(`Reroll ${at + 1}: −${-gain}`)),
        line(h("strong", {}, `Score: ${score < 0 ? `−${-score}` : score}`))));
  }

  const shows = {
    biscuits: {
      heaps: true,
      about: {
        perfect: "leaves you a lost position wherever it can",
        random: "any move",
        learner: "has learned from 10,000 games with itself, as the text describes",
        program: "the same, with the slip of the published program",
      },
      goal: "Take any number from one heap, or the same number from both. Whoever takes the last biscuit wins.",
      scene: (match) => {
        const [digestives, teas] = match.game.shown(match.state);
        return h("div", { class: "play-heaps" },
          h("div", {}, biscuits(digestives, 0), h("div", { class: "play-caption" }, many(digestives, "Digestive"))),
          h("div", {}, biscuits(teas, 1), h("div", { class: "play-caption" }, many(teas, "Rich Tea"))));
      },
      moves: (match, choose) => {
        // Each number keeps its place for the whole game, so that none comes under a pointer that meant another.
        const { game, state } = match, [a, b] = game.shown(state), places = new Map();
        const [most, more] = game.shown(match.events[0]?.before ?? state);
        game.legal(state).forEach((move, place) => {
          const [c, d] = game.shown(game.child(state, place));
          places.set(`${a - c},${b - d}`, [place, move]);
        });
        const kinds = [["Take Digestives", most, 1, 0], ["Take Rich Teas", more, 0, 1], ["Take from both", Math.min(most, more), 1, 1]];
        return kinds.map(([title, numbers, one, other]) => h("div", { class: "play-group", role: "group", "aria-label": title },
          h("span", { class: "play-label" }, title), numbers ? null : h("span", { class: "play-label" }, "none"), Array.from({ length: numbers }, (_, at) => {
            const count = at + 1, [place, move] = places.get(`${one * count},${other * count}`) ?? [];
            const words = one && other ? `${count} from each heap` : many(count, one ? "Digestive" : "Rich Tea");
            return button(move ? `take ${words}, which leaves ${move.label}` : `take ${words}`, { onclick: () => choose(place), disabled: !move }, String(count));
          })));
      },
      values: (match, state) => ({ values: match.game.edges(state).map((edge) => match.game.tables.worth[edge]) }),
      worth: (value) => (value ? "wins" : "loses"),
      cost: () => "gave a won game away",
      truth: "for perfect play by both from then on",
      hopeless: (top) => (top ? null : "Every move loses against perfect play. Take one, and hope for a mistake."),
      named: (match, state, move) => {
        const [a, b] = match.game.shown(state), [c, d] = move.label.split(",").map(Number);
        const words = a - c && b - d ? `${a - c} from each` : a - c ? many(a - c, "Digestive") : many(b - d, "Rich Tea");
        return `take ${words}`;
      },
      tell: (match, { before, after, mover, move }) => {
        const [a, b] = match.game.shown(before), [c, d] = match.game.shown(after);
        const words = [a - c ? many(a - c, "Digestive") : "", b - d ? many(b - d, "Rich Tea") : ""].filter(Boolean);
        return h("span", {}, `${verb(match, mover, "take")} ${words.join(" and ")}, which leaves ${move.label}.`);
      },
      result: (match) => {
        const winner = match.game.returns(match.state).indexOf(1);
        return { text: `${capital(verb(match, winner, "take"))} the last biscuit and ${winner === match.seat ? "win" : "wins"}.`, score: winner === match.seat ? 1 : 0 };
      },
      tally: cups.tally,
      answers: () => true,
      open: true,
    },
    "three-dice": {
      about: {
        optimal: "the best plan there is",
        mdp: "the published value iteration",
        "mdp-adjusted": "the published value iteration, mended by its author",
        "one-step": "rerolls if the odds of a better sum are even or better",
        risky: "rerolls at odds of 2 in 5",
        cautious: "rerolls at odds of 3 in 5",
        perfectionist: "rerolls until it holds the best of all",
        "always-hold": "never rerolls",
      },
      goal: "Keep any dice and reroll the others, for one point a roll, or stop. When you stop, the dice count, but every number that shows twice or more is first turned over to the opposite side: ones become sixes, twos fives, threes fours, and the other way round. Your opponent then rolls dice of its own, and the higher score wins.",
      scene: (match, event, open) => [
        open && !match.over ? h("p", {}, dice(match.game.shown(match.state).join(""))) : null,
        h("p", { class: "play-said" }, match.over ? "" : `You have paid ${many(-match.game.returns(match.state)[0], "point")} so far.`),
      ],
      final: (match, rival) => h("div", { class: "play-scores" }, [match, rival].filter(Boolean).map(scored)),
      answers: () => true,
      moves: (match, choose) => {
        const { game, state } = match, roll = game.shown(state), paid = -game.returns(state)[0], held = new Set(roll.map((_, place) => place));
        const { holds, scores } = game.tables, place = () => holds.findIndex((hold) => hold.join() === [...held].sort().join());
        const go = h("button", { type: "button", class: "play-move play-main", onclick: () => choose(place()) });
        const tell = () => {
          go.textContent = held.size === roll.length
            ? `Stop: ${many(scores[roll.join()], "point")}${paid ? `, less ${paid} paid` : ""}`
            : `Reroll ${many(roll.length - held.size, "die", "dice")} for one point`;
        };
        const kept = roll.map((face, at) => {
          const one = h("button", { type: "button", class: "play-move play-keep", "aria-pressed": "true", "aria-label": `keep the ${FACES[face]}` }, die(face, null), h("span", { class: "play-kept" }, "keep"));
          one.addEventListener("click", () => {
            if (!held.delete(at)) held.add(at);
            one.setAttribute("aria-pressed", String(held.has(at)));
            one.querySelector(".play-kept").textContent = held.has(at) ? "keep" : "reroll";
            tell();
          });
          return one;
        });
        tell();
        return h("div", { class: "play-group", role: "group", "aria-label": "Your dice" }, kept, go);
      },
      values: (match, state) => ({ values: match.game.edges(state).map((edge) => match.game.tables.worth[edge] + match.game.returns(state)[0]) }),
      worth: (value) => `${value.toFixed(3)} points`,
      cost: (value) => `${value.toFixed(3)} points`,
      truth: "the score to expect if you play as well as possible from then on",
      named: (match, state, move) => {
        if (move.label === "stick") return "stop";
        return move.label === "hold none" ? "reroll all" : `keep ${move.label.replace("hold ", "").replaceAll(",", ", ")}`;
      },
      tell: (match, { before, after, mover, move }) => {
        if (mover === book.CHANCE) return h("span", {}, `${verb(match, 0, "roll")} `, dice(move.label.replaceAll(",", "")), ".");
        if (match.game.player(after) === book.TERMINAL) return h("span", {}, `${verb(match, 0, "stop")} with `, dice(match.game.shown(before).join("")), ".");
        const kept = match.game.shown(after), again = match.seat === 0 ? "reroll" : "rerolls";
        if (!kept.length) return h("span", {}, `${match.shown[0]} ${again} all.`);
        return h("span", {}, `${verb(match, 0, "keep")} `, dice(kept.join("")), ` and ${again} the others.`);
      },
      result: (match, rival) => {
        const [score] = match.game.returns(match.state);
        if (!rival) return { text: `You score ${many(score, "point")}.`, score };
        const [other] = rival.game.returns(rival.state), name = rival.shown[0];
        const ending = score > other ? "You win" : score < other ? `${capital(name)} wins` : "Nobody wins";
        return { text: `You score ${many(score, "point")}, ${name} ${other}. ${ending}.`, score, won: score > other };
      },
      open: true,
    },
    "ace-king-queen": {
      about: {
        equilibrium: "gives nothing away, whatever you do",
        cfr: "counterfactual regret minimisation, 10,000 iterations",
        "result-table": "the published program after ten million games",
        honest: "bets aces, checks kings, gives queens up",
        random: "any action",
      },
      goal: "One card each, one dollar in the pot each; both can have the same card. Check, or bet a dollar; who faces a bet folds, calls, or raises by a dollar. There are at most two such increases. An ace beats a king, a king a queen; equal cards split the pot.",
      scene: (match) => {
        const { deal, paid } = match.game.shown(match.state), other = 1 - match.seat;
        if (!deal.length) return null;
        return h("div", { class: "play-cards" },
          h("div", {}, card(deal[match.seat]), h("div", { class: "play-caption" }, `You: ${many(paid[match.seat], "dollar")} in`)),
          h("div", {}, card(match.over ? deal[other] : null), h("div", { class: "play-caption" }, `${capital(match.shown[other])}: ${many(paid[other], "dollar")} in`)));
      },
      values: (match, state) => {
        const spent = match.game.shown(state).paid[match.seat], found = plain.values(match, state);
        return found && { values: found.values.map((value) => value - spent) };
      },
      also: (match, state) => {
        const row = match.agents.equilibrium.rows[match.seat][match.game.knows(state, match.seat)];
        const moves = match.game.legal(state);
        const own = match.names.includes("equilibrium") ? "What an equilibrium, the play that gives nothing away, does here" : "Best is against this opponent. An equilibrium, which gives nothing away to anybody, would do this";
        return [`${own}: ${moves.map((move, at) => `${move.word} ${percent(typeof row === "number" ? Number(row === at) : row[at])}`).join(", ")}.`];
      },
      worth: (value) => `${signed(value)} dollars`,
      cost: (value) => `${value.toFixed(3)} dollars on average`,
      truth: "what you win in this hand on average, against this opponent's strategy",
      tell: (match, { after, mover, move }) => {
        if (mover === book.CHANCE) return h("span", {}, "you get ", card(match.game.shown(after).deal[match.seat]), ".");
        return h("span", {}, `${verb(match, mover, move.word)}.`);
      },
      result: (match) => {
        const gain = match.game.returns(match.state)[match.seat], other = 1 - match.seat;
        const { deal } = match.game.shown(match.state);
        const words = gain ? verb(match, gain > 0 ? match.seat : other, "win") + ` ${many(Math.abs(gain), "dollar")}` : "the pot is split";
        return { text: `You had ${deal[match.seat]}, ${match.shown[other]} ${deal[other]}: ${words}.`, score: gain };
      },
      tally: ({ games, score }) => `${many(games, "hand")}, ${score === 0 ? "even" : `${many(Math.abs(score), "dollar")} ${score > 0 ? "won" : "lost"}`}`,
    },
    "call-or-raise": {
      ...cups,
      about: {
        random: "tosses a coin, and bluffs always",
        probability: "weighs the odds as the published program does",
        holds: "weighs the odds as the published text does",
        honest: "the same, and never bluffs",
        "q-table": "the published learner after its 5,000 games",
        "monte-carlo": "a learner that goes by games won, after a million games",
        equal: "plays one opponent with two dice each, and cannot be beaten in the long run",
      },
      goal: "A bid of three fours says that at least three of all dice under the cups show a four. Call it, or raise by one die, of any face. After a call all dice are shown: if the bid holds, the caller loses a die, otherwise the bidder does. The last with dice wins. The first bid of a round is made by the rules.",
      words: { bid: ["raise to", "raises to"], challenge: (say, call) => call },
      moves: (match, choose) => h("div", { class: "play-group", role: "group", "aria-label": "Your actions" },
        match.game.legal(match.state).map((move, place) => (move.bid
          ? button(`raise to ${bidName(move.bid)}`, { onclick: () => choose(place) }, `${move.bid[0]}×`, die(move.bid[1], null))
          : button("call", { onclick: () => choose(place), class: "play-move play-main" }, "Call")))),
      named: (match, state, move) => (move.bid ? `raise to ${bidText(move.bid)}` : move.label),
      // Where no exact answer is known, a learner says what it would do.
      instead: {
        agent: "monte-carlo",
        ask: "What would a learner do?",
        words: "What is best against these opponents has not been worked out.",
      },
    },
    "wild-ones": {
      ...cups,
      about: {
        survivalist: "takes the likeliest action",
        aggressive: "bids as high as is likelier than not",
        random: "any action",
        network: "the published network",
        "self-play": "the same network, half of its games against itself",
        best: "the table that hears everything, after a million games; where it has never been it makes the first move there is",
        equal: "plays one opponent with one die each, and cannot be beaten in the long run",
      },
      goal: "A bid of two threes says that at least two of all dice show a three; ones are wild and count as threes too. Outbid it: as many of a higher face, or more of any; of ones, which are rarer, half as many will do. Or say liar: if the bid holds you lose a die, otherwise the bidder does. Or say exact: if it is just right you win a die back, otherwise you lose one. The last with dice wins.",
      words: { bid: ["bid", "bids"], challenge: (say, call, label) => `${say} ${label} to` },
      moves: (match, choose) => {
        const { game, state } = match, legal = game.legal(state), total = game.total(state);
        const at = new Map(legal.map((move, place) => [move.bid ? bidText(move.bid) : move.label, place]));
        const said = Object.keys(game.tables.ends).map((label) =>
          button(label, { onclick: () => choose(at.get(label)), class: "play-move play-main", disabled: !at.has(label) }, capital(label)));
        const bids = [];
        for (let quantity = 1; quantity <= total; quantity++) {
          for (let face = 1; face <= 6; face++) {
            const place = at.get(`${quantity}x${face}`);
            bids.push(button(`bid ${bidName([quantity, face])}`, { onclick: () => choose(place), disabled: place === undefined }, `${quantity}×`, die(face, null)));
          }
        }
        return [
          h("div", { class: "play-group", role: "group", "aria-label": "Challenges" }, said),
          h("div", { class: "play-group play-bids", role: "group", "aria-label": "Bids" }, bids),
        ];
      },
      named: (match, state, move) => move.label,
    },
  };

  // How a game of the registry looks, by what is known of it before its tables are loaded.
  book.shown = (name, entry) => ({ ...plain, goal: entry.about, ...shows[name], ...entry, about: shows[name]?.about ?? plain.about });
  book.h = h;
  book.pictured = pictured;
  book.capital = capital;
  book.percent = percent;
  book.turned = turned;
})();
