// The agents, looked up: what each does, as a probability for each legal move. The tables come from
// `support.play.page`, which writes them from the agents of the book.
"use strict";

(function () {
  const book = window.LearnedAndChecked;
  const DRAWN = 254;

  const certain = (length, place) => Array.from({ length }, (_, other) => (other === place ? 1 : 0));

  function bytes(agent) {
    agent.bytes ??= Uint8Array.from(atob(agent.actions), (letter) => letter.charCodeAt(0));
    return agent.bytes;
  }

  // The seats that still have dice, in turn, from one of them on.
  book.ring = (game, counts, seat) => {
    const ring = [seat];
    for (let one = game.next(counts, seat); one !== seat; one = game.next(counts, one)) ring.push(one);
    return ring;
  };

  // What an agent that goes by a view does with a hand: the number of an action, or DRAWN.
  book.seen = (game, agent, counts, seat, hand, last) => {
    const [, sides, hands, bids] = agent.shape;
    const total = counts.reduce((sum, count) => sum + count, 0);
    let side = 0;
    if (sides > 1) {
      const ring = book.ring(game, counts, seat);
      side = counts[ring[ring.length - 1]] * (game.tables.dice + 1) + counts[ring[1]];
    }
    return bytes(agent)[((total * sides + side) * hands + hand) * bids + last];
  };

  // The place of a numbered action among the moves: challenges come first, in the order of the tables, then bids.
  book.placed = (game, moves, action) => {
    const challenges = Object.keys(game.tables.ends);
    return moves.findIndex((move) =>
      action < challenges.length
        ? move.label === challenges[action]
        : move.bid && game.numbers.get(move.bid.join("x")) === action - challenges.length + 1);
  };

  // How likely an agent that goes by what a bid still needs makes each move.
  function byNeed(game, agent, state, seat, moves) {
    if (moves.length === 1) return [1];
    const roll = state.rolls[seat], [quantity, face] = state.bids[state.bids.length - 1];
    const row = agent.rows[`${game.total(state)},${roll.length}`];
    const need = Math.max(quantity - game.counted(roll, face), 0);
    const raises = row[Math.min(need, row.length - 1)], most = game.opening(roll)[1];
    const faces = moves.filter((move) => move.bid).length;
    return moves.map(({ bid }) =>
      bid ? raises * (agent.bluff / faces + (bid[1] === most ? 1 - agent.bluff : 0)) : 1 - raises);
  }

  function byHeard(game, agent, state, seat, moves, names) {
    const { rows, digits, seats } = agent.heard;
    const players = seats[`${seat}|${names.join(",")}`];
    const ring = book.ring(game, state.counts, seat);
    const others = ring.slice(1).map((one) => `${state.counts[one]}s${players[one]}`).join(" ");
    const where = `${state.counts[seat]} ${others}|${ring.indexOf(state.opener)}`;
    const said = state.bids
      .map((bid) => game.numbers.get(bid.join("x")) - 1).sort((a, b) => a - b).map((bid) => digits[bid]).join("");
    const row = ` ${rows[where]?.[state.rolls[seat]] ?? ""} `, start = row.indexOf(` ${said}:`);
    if (start < 0) return { row: certain(moves.length, 0), met: false };
    const action = digits.indexOf(row[start + said.length + 2]);
    return { row: certain(moves.length, book.placed(game, moves, action)), met: true };
  }

  // One of two players that goes by what it knows of the round, as if the opener sat in the first seat. Where it
  // never comes, or more is bid than there are dice, it takes the first move, which is to call.
  function byRound(game, agent, state, seat, moves) {
    const turned = (list) => (state.opener ? [...list].reverse() : list);
    const seen = { ...state, opener: 0, counts: turned(state.counts), rolls: turned(state.rolls) };
    const row = agent.rows[game.knows(seen, state.opener ? 1 - seat : seat)] ?? 0;
    const within = typeof row === "number" ? certain(moves.length, row) : row;
    return moves.map((_, place) => within[place] ?? 0);
  }

  // Probabilities of the legal moves, and whether the agent has ever been here.
  // `names` are those of all seats; an agent that knows nothing of a place gives null.
  book.acts = (game, agent, state, seat, names) => {
    const moves = game.legal(state);
    if (agent.by === "info") {
      const row = agent.rows[seat][game.knows(state, seat)];
      if (row === undefined) return null;
      return { row: typeof row === "number" ? certain(moves.length, row) : row, met: true };
    }
    if (agent.by === "need") return { row: byNeed(game, agent, state, seat, moves), met: true };
    if (agent.by === "round") return { row: byRound(game, agent, state, seat, moves), met: true };
    if (agent.by === "heard") return byHeard(game, agent, state, seat, moves, names);
    const last = state.bids.length ? game.numbers.get(state.bids[state.bids.length - 1].join("x")) : 0;
    const hand = game.tables.hands.indexOf(state.rolls[seat]);
    const action = book.seen(game, agent, state.counts, seat, hand, last);
    if (action === DRAWN) return { row: moves.map(() => 1 / moves.length), met: true };
    return { row: certain(moves.length, book.placed(game, moves, action)), met: true };
  };

  // What has been worked out against some opponents: what beginnings of rounds are worth.
  book.exact = (game, agents, others) => {
    const order = Object.keys(agents);
    return game.tables.exact?.[[...others].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(",")];
  };

  // What is best for one player against agents that go by a view or toss coins, within a round; what a round leads to
  // is worth what `support.exact` has worked out. Sets of hands, as bits, are all that bids can tell about them.
  class Best {
    constructor(game, agents, names, seat, counts, opener, own) {
      Object.assign(this, { game, agents, names, seat, counts, own });
      this.total = counts.reduce((sum, count) => sum + count, 0);
      this.ring = book.ring(game, counts, seat);
      this.opener = this.ring.indexOf(opener);
      this.hands = this.ring.map((one) => game.tables.rolls[counts[one]]);
      // Six dice have more hands than a number has bits.
      const wide = this.hands.some((all) => all.length > 30);
      this.bit = (place) => (wide ? 1n << BigInt(place) : 1 << place);
      this.none = wide ? 0n : 0;
      this.everything = this.hands.map((all, turn) => (turn ? this.bit(all.length) - this.bit(0) : this.none));
      this.replied = new Map();
      this.values = new Map();
      this.showing = new Map();
      const others = names.filter((_, other) => other !== seat);
      this.worth = book.exact(game, agents, others);
    }
    // For each move the hands with which a player makes it, as bits, and how likely it then is.
    replies(turn, last) {
      const key = `${turn}|${last}`;
      if (this.replied.has(key)) return this.replied.get(key);
      const { game } = this, seat = this.ring[turn], agent = this.agents[this.names[seat]];
      const moves = game.after(this.total, last), found = moves.map((move) => ({ move, hands: this.none, chance: 1 }));
      if (agent.by === "need") {
        // Who tosses coins does the same with any hand; nothing has been worked out against others who go by need.
        const state = { counts: this.counts, rolls: this.names.map(() => this.hands[turn][0][0]), bids: [last] };
        const coins = byNeed(game, agent, state, seat, moves).map((chance, at) => ({ move: moves[at], hands: this.everything[turn], chance }));
        this.replied.set(key, coins.filter(({ chance }) => chance));
        return this.replied.get(key);
      }
      const number = last ? game.numbers.get(last.join("x")) : 0;
      this.hands[turn].forEach(([hand], place) => {
        const action = book.seen(game, agent, this.counts, seat, game.tables.hands.indexOf(hand), number);
        const at = action === DRAWN ? -1 : book.placed(game, moves, action);
        found.forEach((reply, other) => {
          if (at < 0 || at === other) reply.hands |= this.bit(place);
          if (at < 0) reply.chance = 1 / moves.length;
        });
      });
      const made = found.filter(({ hands, chance }) => hands && chance);
      this.replied.set(key, made);
      return made;
    }
    // In how many ways 0, 1, ... dice of a set of hands count towards a face.
    shows(turn, set, face) {
      const key = `${turn}|${set}|${face}`;
      if (!this.showing.has(key)) {
        const ways = Array(this.counts[this.ring[turn]] + 1).fill(0);
        this.hands[turn].forEach(([hand, many], place) => {
          if (set & this.bit(place)) ways[this.game.counted(hand, face)] += many;
        });
        this.showing.set(key, ways);
      }
      return this.showing.get(key);
    }
    // How many rolls of the others there are.
    rolls(sets) {
      return sets.reduce((product, set, turn) => {
        if (!turn) return 1;
        return product * this.shows(turn, set, 1).reduce((sum, ways) => sum + ways, 0);
      }, 1);
    }
    next(counts, seat) {
      if (!counts[this.seat]) return 0;
      if (this.game.alive(counts) < 2) return 1;
      const ring = book.ring(this.game, counts, this.seat);
      const opener = ring.indexOf(this.game.opens(counts, seat));
      const dice = ring.map((one) => counts[one]), most = this.game.tables.dice;
      if (Array.isArray(this.worth)) { // against players who are all the same
        let first = 0;
        for (let players = 2; players < dice.length; players++) first += players * most ** players;
        return this.worth[first + dice.length * dice.reduce((place, count) => place * most + count - 1, 0) + opener];
      }
      const names = ring.slice(1).map((one) => this.names[one]).join(",");
      return this.worth[`${names}|${dice.join(",")}|${opener}`];
    }
    // A challenge: the sum over all rolls of the probability of winning the game.
    challenged(turn, label, last, sets) {
      const { game } = this, [quantity, face] = last, size = this.ring.length;
      let ways = [1];
      for (let other = 1; other < size; other++) {
        const more = this.shows(other, sets[other], face), sum = Array(ways.length + more.length - 1).fill(0);
        ways.forEach((a, i) => more.forEach((b, j) => (sum[i + j] += a * b)));
        ways = sum;
      }
      const own = game.counted(this.own, face);
      const worth = [0, 1, 2].map((relation) => {
        const [callers, change] = game.tables.ends[label][relation];
        const seat = this.ring[callers ? turn : (turn + size - 1) % size];
        return this.next(game.changed(this.counts, seat, change), seat);
      });
      return ways.reduce((sum, many, there) => {
        const relation = there + own < quantity ? 0 : there + own === quantity ? 1 : 2;
        return sum + many * worth[relation];
      }, 0);
    }
    after(turn, move, last, sets) {
      if (!move.bid) return this.challenged(turn, move.label, last, sets);
      return this.value((turn + 1) % this.ring.length, move.bid, sets);
    }
    // The same sum with a player to move.
    value(turn, last, sets) {
      const key = `${turn}|${last}|${sets}`;
      if (this.values.has(key)) return this.values.get(key);
      const far = last && last[0] > this.limit; // where bids have no end: nobody gets there but by coins
      let found = 0;
      if (far || !turn) {
        const moves = this.game.after(this.total, last).filter((move) => !far || !move.bid);
        found = Math.max(...moves.map((move) => this.after(turn, move, last, sets)));
      } else {
        for (const { move, hands, chance } of this.replies(turn, last)) {
          const left = sets[turn] & hands;
          if (left) found += chance * this.after(turn, move, last, sets.map((set, one) => (one === turn ? left : set)));
        }
      }
      this.values.set(key, found);
      return found;
    }
    // What the bids of a round tell about the hands; null if these players do not bid so.
    heard(bids) {
      const sets = [...this.everything], forced = this.game.tables.opening ? 1 : 0, size = this.ring.length;
      if (forced && this.opener) {
        const wanted = bids[0].join("x");
        this.hands[this.opener].forEach(([hand], place) => {
          if (this.game.opening(hand).join("x") !== wanted) sets[this.opener] &= ~this.bit(place);
        });
      }
      for (let number = forced; number < bids.length; number++) {
        const turn = (this.opener + number) % size, last = bids[number - 1] ?? null;
        if (!turn) continue;
        const told = this.replies(turn, last).find(({ move }) => move.bid && move.bid.join("x") === bids[number].join("x"));
        sets[turn] &= told ? told.hands : this.none;
      }
      return sets.every((set, turn) => set || !turn) ? sets : null;
    }
  }

  // The probability of winning the game after each legal move, if all that follows is played as well as can be; and
  // how likely each hand of the others is. Null where it is not known.
  book.best = (game, agents, names, state, seat) => {
    const others = names.filter((_, other) => other !== seat);
    if (!game.tables.exact || others.some((name) => !agents[name] || ["heard", "round"].includes(agents[name].by))) return null;
    const best = new Best(game, agents, names, seat, state.counts, state.opener, state.rolls[seat]);
    const sets = best.worth && best.heard(state.bids);
    if (!sets) return null;
    const rolls = best.rolls(sets), last = state.bids[state.bids.length - 1] ?? null;
    best.limit = Math.max(best.total, last ? last[0] : 0) + 24;
    const hands = {};
    best.ring.forEach((one, turn) => {
      if (!turn) return;
      const ways = best.shows(turn, sets[turn], 1).reduce((sum, many) => sum + many, 0);
      const said = state.bids.some((_, number) => (best.opener + number) % best.ring.length === turn);
      hands[one] = { told: said && sets[turn] !== best.everything[turn], hands: best.hands[turn]
        .filter((_, place) => sets[turn] & best.bit(place)).map(([hand, many]) => [hand, many / ways]) };
    });
    return { values: game.legal(state).map((move) => best.after(0, move, last, sets) / rolls), hands };
  };
})();
