// The rules, looked up: who is to move, what is legal, what follows. It comes from tables that `support.play.page`
// writes from the Python rules; nothing about a particular game is decided here, but what a round of dice is.
"use strict";

(function () {
  const CHANCE = -1, TERMINAL = -4;
  const book = (window.LearnedAndChecked = window.LearnedAndChecked || {});
  const known = new Map(); // tables and their digest, by name
  const waiting = new Map(); // promises of tables by name

  // Called by the scripts that hold the tables, each with the digest of what it holds; the list of games has those of all.
  book.tables = (name, tables, mark) => known.set(name, { tables, mark });

  // The tables of a name such as "wild-ones/3x2", fetched once. A script works from a disk, where a request does not.
  // What is missing, cut off or of another build is refused, and asked for anew the next time.
  book.load = (name, folder) => {
    const file = `${name.replace("/", "-")}.js`;
    const fetched = () => new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${folder}${file}`;
      script.onload = () => {
        const found = known.get(name), wanted = known.get("games")?.mark;
        if (!found) reject(new Error(`the file ${file} is cut off or damaged`));
        else if (name !== "games" && wanted?.[name] !== found.mark) reject(new Error(`the file ${file} belongs to another build of this book`));
        else resolve(found.tables);
      };
      script.onerror = () => reject(new Error(`the file ${file} is missing`));
      known.delete(name);
      document.head.append(script);
    });
    if (!waiting.has(name)) waiting.set(name, fetched());
    waiting.get(name).catch(() => waiting.delete(name));
    return waiting.get(name);
  };
  book.mark = (name) => known.get(name)?.mark;

  // A small game: a graph of positions. States are frozen; a move is named by its place among those that are possible.
  class FlatGame {
    constructor(tables) {
      this.tables = tables;
      this.players = tables.players;
    }
    start(root) {
      const node = this.tables.roots[root ?? this.tables.start];
      if (node === undefined) throw new Error(`no game starts from ${root}`);
      return Object.freeze({ node, gains: Array(this.players).fill(0), past: [] });
    }
    player(state) {
      return this.tables.player[state.node];
    }
    edges(state) {
      const { first } = this.tables, all = [];
      for (let edge = first[state.node]; edge < first[state.node + 1]; edge++) all.push(edge);
      return all;
    }
    moves(state) {
      const t = this.tables;
      return this.edges(state).map((edge) => ({ label: t.labels[t.label[edge]], word: t.labels[t.word[edge]], edge }));
    }
    legal(state) {
      return this.player(state) >= 0 ? this.moves(state) : [];
    }
    chance(state) {
      if (this.player(state) !== CHANCE) return [];
      return this.moves(state).map(({ label, edge }) => ({ label, ways: this.tables.ways[edge] }));
    }
    child(state, place) {
      const t = this.tables, edge = t.first[state.node] + place;
      if (!(place >= 0 && edge < t.first[state.node + 1])) throw new Error(`there is no move ${place} here`);
      const gain = t.gains[t.gain[edge]];
      return Object.freeze({
        node: t.to[edge],
        gains: state.gains.map((sum, player) => sum + gain[player]),
        past: [...state.past, t.labels[t.label[edge]]],
      });
    }
    returns(state) {
      return state.gains;
    }
    knows(state, player) {
      return this.tables.texts[this.tables.knows[state.node][player]];
    }
    shown(state) {
      return this.tables.shown[state.node];
    }
  }

  // Dice under cups: who opens is drawn, everybody rolls, bids go round, a challenge shows the dice.
  class CupsGame {
    constructor(tables) {
      this.tables = tables;
      this.players = tables.players;
      this.numbers = new Map(tables.bids.map((bid, number) => [bid && bid.join("x"), number]));
    }
    start() {
      return this.round(Array(this.players).fill(this.tables.dice), -1, []);
    }
    round(counts, opener, past) {
      return this.skip({ counts, opener, rolls: [], bids: [], past });
    }
    // Who has no dice rolls none.
    skip(state) {
      const rolls = [...state.rolls];
      if (state.opener >= 0) while (rolls.length < this.players && !state.counts[rolls.length]) rolls.push("");
      return Object.freeze({ ...state, rolls });
    }
    // The next seat that has dice.
    next(counts, seat) {
      let next = seat;
      do next = (next + 1) % this.players; while (!counts[next]);
      return next;
    }
    alive(counts) {
      return counts.filter((count) => count).length;
    }
    speaker(state, number) {
      let seat = state.opener;
      for (let turn = 0; turn < number; turn++) seat = this.next(state.counts, seat);
      return seat;
    }
    player(state) {
      if (this.alive(state.counts) < 2) return TERMINAL;
      if (state.opener < 0 || state.rolls.length < this.players) return CHANCE;
      return this.speaker(state, state.bids.length);
    }
    total(state) {
      return state.counts.reduce((sum, count) => sum + count, 0);
    }
    // The legal actions after a bid, each with the bid that it is. Where bids have no end, all repeats from two beyond
    // the dice in play on, a die higher each time.
    after(total, last) {
      const shift = last && !this.tables.bounded ? Math.max(0, last[0] - total - 2) : 0;
      const asked = last ? this.numbers.get([last[0] - shift, last[1]].join("x")) : 0;
      const list = this.tables.lists[this.tables.moves[total][asked]];
      return list.map(([label, number]) => {
        const bid = number ? this.tables.bids[number] : null;
        return { label, word: label, bid: bid && [bid[0] + shift, bid[1]] };
      });
    }
    moves(state) {
      return this.player(state) === CHANCE ? this.chance(state) : this.legal(state);
    }
    legal(state) {
      if (this.player(state) < 0) return [];
      return this.after(this.total(state), state.bids[state.bids.length - 1] ?? null);
    }
    chance(state) {
      if (this.player(state) !== CHANCE) return [];
      const all = state.opener < 0 ? this.tables.openers : this.tables.rolls[state.counts[state.rolls.length]];
      return all.map(([label, ways]) => ({ label, ways }));
    }
    // How many dice of a roll count towards a face.
    counted(roll, face) {
      let there = 0;
      for (const die of roll) there += this.tables.towards[face - 1][die - 1];
      return there;
    }
    there(state, face) {
      return state.rolls.reduce((sum, roll) => sum + this.counted(roll, face), 0);
    }
    // Whose dice a challenge changes and by how many, by how many dice count.
    end(label, there, quantity) {
      return this.tables.ends[label][there < quantity ? 0 : there === quantity ? 1 : 2];
    }
    changed(counts, seat, change) {
      return counts.map((count, place) => (place === seat ? Math.min(count + change, this.tables.dice) : count));
    }
    opens(counts, seat) {
      return counts[seat] ? seat : this.next(counts, seat);
    }
    outcome(state, label) {
      const [quantity, face] = state.bids[state.bids.length - 1];
      const there = this.there(state, face), caller = this.player(state);
      const [callers, change] = this.end(label, there, quantity);
      const seat = callers ? caller : this.speaker(state, state.bids.length - 1);
      return { there, seat, change };
    }
    opening(roll) {
      if (!this.tables.opening || !roll) return null;
      const place = this.tables.rolls[roll.length].findIndex(([text]) => text === roll);
      return this.tables.bids[this.tables.opening[roll.length][place]];
    }
    child(state, place) {
      const move = this.moves(state)[place];
      if (!move) throw new Error(`there is no move ${place} here`);
      const past = [...state.past, move.label];
      if (state.opener < 0) return this.skip({ ...state, opener: place, past });
      if (state.rolls.length < this.players) {
        const after = this.skip({ ...state, rolls: [...state.rolls, move.label], past });
        const bid = after.rolls.length === this.players ? this.opening(after.rolls[after.opener]) : null;
        return bid ? Object.freeze({ ...after, bids: [bid] }) : after;
      }
      if (move.bid) return Object.freeze({ ...state, bids: [...state.bids, move.bid], past });
      const { seat, change } = this.outcome(state, move.label);
      const counts = this.changed(state.counts, seat, change);
      return this.round(counts, this.opens(counts, seat), past);
    }
    returns(state) {
      const over = this.alive(state.counts) < 2;
      return state.counts.map((count) => (over && count ? 1 : 0));
    }
    knows(state, player) {
      const counts = state.counts.join(" ");
      if (state.opener < 0) return counts;
      const own = player < state.rolls.length ? state.rolls[player] || "no dice" : "not rolled";
      const bids = state.bids.map((bid) => bid.join("x")).join(" ");
      return `${counts}, ${state.opener + 1} opens, ${own}${bids ? `: ${bids}` : ""}`;
    }
  }

  book.CHANCE = CHANCE;
  book.TERMINAL = TERMINAL;
  book.game = (tables) => (tables.engine === "flat" ? new FlatGame(tables) : new CupsGame(tables));
})();
