// The page: choose a game and opponents, play, ask for hints. Everything happens in the reader's browser.
"use strict";

(function () {
  const book = window.LearnedAndChecked, { h, capital, percent, pictured } = book;
  const TALLY = "learned-and-checked.tally";
  const HINTS = 6, SAME = 1e-9;

  // What the address asks for, such as #game=wild-ones&against=survivalist,aggressive.
  function asked(shows) {
    const words = new URLSearchParams(window.location.hash.slice(1));
    const own = (all, key) => key !== null && Object.hasOwn(all, key);
    const name = own(shows, words.get("game")) ? words.get("game") : Object.keys(shows)[0];
    const size = own(shows[name].sizes, words.get("size")) ? words.get("size") : Object.keys(shows[name].sizes)[0];
    const against = (words.get("against") ?? "").split(",").filter(Boolean);
    const heaps = /^\d{1,2},\d{1,2}$/.test(words.get("heaps") ?? "") ? words.get("heaps") : "8,4";
    return { name, size, against, heaps, seat: Math.trunc(Number(words.get("seat"))) || 1, seed: words.get("seed") };
  }

  function tallies() {
    try {
      const all = JSON.parse(window.localStorage.getItem(TALLY));
      return all && typeof all === "object" && !Array.isArray(all) ? all : {};
    } catch {
      return {}; // no storage here: the tally lasts as long as the page
    }
  }

  function keep(all) {
    try {
      window.localStorage.setItem(TALLY, JSON.stringify(all));
    } catch {
      // as above
    }
  }

  class Page {
    constructor(root, games) {
      this.root = root;
      this.folder = root.dataset.tables;
      this.shows = Object.fromEntries(Object.entries(games).map(([name, entry]) => [name, book.shown(name, entry)]));
      this.all = tallies();
      this.build();
      window.addEventListener("hashchange", () => {
        // What this page wrote itself is no wish: going back to it must not end the game.
        if (window.location.hash.includes("game=") && window.location.hash !== this.hash) this.choose(asked(this.shows));
      });
      this.choose(asked(this.shows));
    }

    build() {
      const games = Object.entries(this.shows).map(([name, show]) => h("label", { class: "play-game" },
        h("input", { type: "radio", name: "play-game", value: name, onchange: () => this.choose({ name }) }), h("span", {}, show.title)));
      this.options = h("div", { class: "play-options" });
      this.goal = h("p", { class: "play-goal" });
      this.about = h("ul", { class: "play-about" });
      this.them = h("p", { class: "play-them" });
      this.scene = h("div", { class: "play-scene" });
      this.status = h("p", { class: "play-status", role: "status" });
      this.moves = h("div", { class: "play-moves", role: "toolbar", "aria-label": "Your moves", onkeydown: (event) => this.walk(event), onfocusin: (event) => this.rove(event.target) });
      this.hint = h("div", { class: "play-hint", "aria-live": "polite", tabindex: "-1" });
      this.log = h("ol", { class: "play-log" });
      this.scroll = h("div", { class: "play-scroll", role: "log", "aria-label": "What has happened", tabindex: "0" }, this.log);
      this.tally = h("p", { class: "play-tally" });
      this.ask = h("button", { type: "button", class: "play-tool", onclick: () => this.advise() }, "What is best?");
      this.again = h("button", { type: "button", class: "play-tool", onclick: () => this.deal() }, "New game");
      this.thinks = h("input", { type: "checkbox", onchange: () => this.root.classList.toggle("play-thinking", this.thinks.checked) });
      const forget = h("button", { type: "button", class: "play-tool play-small", onclick: () => this.forget() }, "Forget the tally");
      this.root.replaceChildren(
        h("form", { class: "play-setup", onsubmit: (event) => event.preventDefault() },
          h("fieldset", { class: "play-games" }, h("legend", {}, "Game"), games), this.options),
        this.goal, this.them,
        h("div", { class: "play-board" },
          h("div", { class: "play-now" }, this.scene, this.status, this.moves,
            h("div", { class: "play-tools" }, this.ask, this.again,
              h("label", { class: "play-check" }, this.thinks, " Show what the agents think")), this.hint),
          h("div", { class: "play-past" }, h("h2", { class: "play-title" }, "What has happened"), this.scroll, this.tally, forget)),
        h("details", { class: "play-who" }, h("summary", {}, "Who else is there?"), this.about),
      );
    }

    // A game with what was asked for, and otherwise as usual; sets up the choices and deals.
    choose({ name, size, against = [], heaps = "8,4", seat = 1, seed = null }) {
      const show = this.shows[name], sizes = Object.keys(show.sizes);
      this.name = name;
      this.show = show;
      this.size = sizes.includes(size) ? size : sizes[0];
      this.heaps = heaps;
      this.seed = seed;
      const [, seats] = show.sizes[this.size], others = show.apart ? 1 : seats - 1;
      this.against = Array.from({ length: others }, (_, at) => against[at] ?? against[against.length - 1] ?? show.usual[at % show.usual.length]);
      this.seat = Math.min(Math.max(seat, 1), seats);
      for (const radio of this.root.querySelectorAll("input[name=play-game]")) radio.checked = radio.value === name;
      this.goal.replaceChildren(`${show.goal} `, show.chapter ? h("a", { href: `${show.chapter}.html` }, "The chapter has all of the rules.") : "");
      this.about.replaceChildren(...Object.entries(show.about).map(([agent, words]) =>
        h("li", {}, h("strong", {}, capital(agent)), `: ${words}.`)));
      this.begin();
    }

    async begin() {
      const wanted = `${this.name}/${this.size}`, turn = (this.turn = (this.turn ?? 0) + 1);
      // Nothing of the last game can be played while the next one is fetched, or if it cannot be.
      this.match = null;
      this.root.removeAttribute("data-state");
      for (const part of [this.scene, this.moves, this.hint, this.log]) part.replaceChildren();
      this.ask.disabled = this.again.disabled = true;
      this.tally.textContent = "";
      this.status.textContent = "Fetching the tables.";
      try {
        const tables = await book.load(wanted, this.folder);
        for (const agent of new Set(this.against)) {
          const found = tables.agents[agent];
          if (found && found.in && !found.heard) found.heard = await book.load(found.in, this.folder);
        }
        if (turn !== this.turn) return; // another choice was made meanwhile
        this.tables = tables;
      } catch (error) {
        if (turn !== this.turn) return;
        this.status.textContent = `This game cannot be played now: ${error.message}.`;
        return;
      }
      this.offer();
      this.deal(this.seed);
      this.seed = null;
    }

    select(label, choices, value, change) {
      const id = `play-${label.toLowerCase().replaceAll(" ", "-")}`;
      const list = h("select", { id, onchange: () => change(list.value) },
        choices.map(([name, words, off]) => h("option", { value: name, selected: name === value, disabled: off ?? false }, words)));
      return h("div", { class: "play-choice" }, h("label", { for: id }, label), list);
    }

    // The choices of a game, as its tables allow them.
    offer() {
      const { show } = this, parts = [], now = () => ({ name: this.name, size: this.size, against: this.against, heaps: this.heaps, seat: this.seat });
      if (Object.keys(show.sizes).length > 1) {
        parts.push(this.select("Table", Object.entries(show.sizes).map(([size, [words]]) => [size, words]), this.size, (size) => this.choose({ ...now(), size, against: [] })));
      }
      if (show.heaps) {
        if (this.tables.roots[this.heaps] === undefined) this.heaps = this.tables.start;
        const [a, b] = this.heaps.split(","), numbers = Array.from({ length: 13 }, (_, count) => [String(count), String(count)]);
        const heap = (label, value, other, join) => this.select(label, numbers.map(([x, y]) => [x, y, x === "0" && other === "0"]), value, (count) => this.choose({ ...now(), heaps: join(count) }));
        parts.push(heap("Digestives", a, b, (count) => `${count},${b}`), heap("Rich Teas", b, a, (count) => `${a},${count}`));
      }
      const here = Object.keys(this.tables.agents);
      this.against = this.against.map((agent) => (here.includes(agent) && this.plays(agent) ? agent : here.find((one) => this.plays(one))));
      this.against.forEach((agent, at) => {
        const label = this.against.length > 1 ? `Opponent ${at + 1}` : "Opponent";
        parts.push(this.select(label, here.map((one) => [one, capital(one), !this.plays(one)]), agent, (one) => {
          this.choose({ ...now(), against: this.against.map((other, place) => (place === at ? one : other)) });
        }));
      });
      if (!show.apart) {
        const seats = Array.from({ length: this.against.length + 1 }, (_, at) => [String(at + 1), String(at + 1)]);
        parts.push(this.select("Your seat", seats, String(this.seat), (seat) => this.choose({ ...now(), seat: Number(seat) })));
      }
      const chosen = [...new Set(this.against)].map((agent) => h("span", {}, h("strong", {}, capital(agent)), `: ${show.about[agent] ?? "an agent of this game"}. `));
      this.them.replaceChildren(...chosen);
      const focus = this.options.contains(document.activeElement) ? [...this.options.querySelectorAll("select")].indexOf(document.activeElement) : -1;
      this.options.replaceChildren(...parts);
      if (focus >= 0) this.options.querySelectorAll("select")[focus]?.focus();
    }

    // Whether an agent knows the game that was chosen.
    plays(agent) {
      const { only } = this.tables.agents[agent];
      return !only || only.includes(this.heaps);
    }

    get words() {
      return `${this.name} ${this.size} ${this.show.heaps ? this.heaps : ""} ${this.against.join("+")}`;
    }

    deal(seed = null) {
      const { show } = this, game = book.game(this.tables), root = show.heaps ? this.heaps : undefined;
      const inside = this.root.contains(document.activeElement) && document.activeElement === this.again;
      const number = seed ?? String(window.crypto.getRandomValues(new Uint32Array(1))[0]);
      const names = show.apart ? ["you"] : [...this.against.slice(0, this.seat - 1), "you", ...this.against.slice(this.seat - 1)];
      this.match = new book.Match(game, this.tables.agents, names, number, root);
      this.match.words = show.words;
      this.rival = null;
      this.done = false;
      const fields = { game: this.name, size: this.size, against: this.against.join(","), seat: this.seat };
      if (show.heaps) fields.heaps = this.heaps;
      this.hash = `#${Object.entries(fields).map(([key, value]) => `${key}=${value}`).join("&")}`;
      window.history.replaceState(null, "", this.hash);
      this.again.disabled = false;
      this.log.replaceChildren();
      this.root.dataset.seed = number;
      this.tell(this.match.run());
      this.draw(inside);
    }

    play(place) {
      const focused = this.moves.contains(document.activeElement);
      this.tell(this.match.play(place));
      this.draw(focused);
    }

    tell(events, match = this.match) {
      for (const event of events) {
        const words = this.show.tell(match, event);
        if (words) {
          const line = h("li", {}, ...[words].flat());
          const first = line.firstElementChild?.firstChild;
          if (first && first.nodeType === Node.TEXT_NODE) first.textContent = capital(first.textContent);
          if (event.thought) line.append(this.thought(match, event));
          this.log.append(line);
        }
        if (this.show.ends(event) || match.over) this.uncover();
        if (this.show.ends(event) && match.game.player(event.after) !== book.TERMINAL) this.log.append(h("li", { class: "play-round" }, "The next round."));
      }
      this.scroll.scrollTop = this.scroll.scrollHeight;
    }

    // Thoughts would betray what is hidden, so they wait for the end of the round.
    uncover() {
      for (const one of this.log.querySelectorAll(".play-secret")) one.classList.remove("play-secret");
    }

    thought(match, { before, thought }) {
      const moves = match.game.legal(before), likely = moves.map((move, at) => [thought.row[at], this.show.named(match, before, move)]);
      const some = likely.filter(([chance]) => chance > 0).sort((a, b) => b[0] - a[0]);
      const named = new Map();
      for (const [chance, name] of some) named.set(name, (named.get(name) ?? 0) + chance);
      const words = [...named].slice(0, HINTS).map(([name, chance]) => `${name} ${percent(Math.min(chance, 1))}`).join(", ");
      const more = named.size > HINTS ? ` and ${named.size - HINTS} more` : "", fresh = thought.met ? "" : " It has never been here before.";
      const said = named.size === 1 ? "Here it always does so." : `Here it would ${words}${more}.`;
      return h("span", { class: `play-thought${this.show.open ? "" : " play-secret"}` }, pictured(` ${said}${fresh}`));
    }

    draw(focus) {
      const { match, show } = this;
      this.hint.replaceChildren();
      if (match.over) this.finish();
      this.scene.replaceChildren(...[show.scene(match)].flat().filter(Boolean));
      this.ask.disabled = match.over;
      this.root.dataset.state = match.over ? "over" : "yours";
      if (match.over) {
        this.moves.replaceChildren();
        this.status.textContent = this.ending.text;
        if (focus) this.again.focus();
      } else {
        this.status.textContent = "Your move.";
        this.moves.replaceChildren(...[show.moves(match, (place) => this.play(place))].flat().filter(Boolean));
        const buttons = this.buttons();
        buttons.forEach((button, at) => (button.tabIndex = at ? -1 : 0));
        if (focus) buttons[0]?.focus();
      }
      this.showTally();
    }

    finish() {
      if (this.done) return;
      this.done = true;
      if (this.show.apart) {
        this.rival = new book.Match(this.match.game, this.tables.agents, [this.against[0]], `${this.match.seed} rival`, undefined);
        this.tell(this.rival.run(), this.rival);
      }
      this.ending = this.show.result(this.match, this.rival);
      if (!this.match.decisions.length) return; // over before it began: no game of yours
      this.all = tallies(); // other tabs play too
      const { games, score, won } = { games: 0, score: 0, won: 0, ...this.all[this.words] };
      this.all[this.words] = { games: games + 1, score: score + this.ending.score, won: won + Number(this.ending.won ?? this.ending.score > 0) };
      keep(this.all);
      const costs = h("button", { type: "button", class: "play-tool", onclick: () => this.review() }, "What did my decisions cost?");
      this.hint.replaceChildren(costs);
    }

    showTally() {
      const found = Object.hasOwn(this.all, this.words) ? this.all[this.words] : null;
      this.tally.textContent = found ? `Your tally here: ${this.show.tally(found)}.` : "No game finished here yet.";
    }

    forget() {
      this.all = {};
      keep(this.all);
      this.showTally();
    }

    // Values of the moves of a position, each name once; null where they are not known.
    valued(state) {
      const { match, show } = this, found = show.values(match, state);
      if (!found) return null;
      const moves = match.game.legal(state), top = Math.max(...found.values), named = new Map();
      const best = found.values.findIndex((value) => value >= top - SAME);
      const order = moves.map((_, at) => at).sort((a, b) => (b === best) - (a === best) || found.values[b] - found.values[a]);
      for (const at of order) {
        const name = show.named(match, state, moves[at]);
        if (!named.has(name)) named.set(name, found.values[at]);
      }
      return { found, top, named, best: show.named(match, state, moves[best]) };
    }

    advise() {
      const { match, show } = this, known = this.valued(match.state);
      const also = show.also ? show.also(match, match.state) : [];
      if (!known) {
        this.hint.replaceChildren(h("p", {}, show.unknown(match)));
        return;
      }
      const hopeless = show.hopeless?.(known.top);
      if (hopeless) {
        this.hint.replaceChildren(h("p", {}, h("strong", {}, hopeless)));
        return;
      }
      const rows = [...known.named].slice(0, HINTS).map(([name, value]) => h("tr", {}, h("td", {}, pictured(name)), h("td", {}, show.worth(value))));
      const more = known.named.size > HINTS ? h("p", { class: "play-small" }, `And ${known.named.size - HINTS} more.`) : null;
      const held = show.held ? show.held(match, known.found) : [];
      this.hint.replaceChildren(...[
        h("p", {}, h("strong", {}, pictured(`Best is ${known.best}: ${show.worth(known.top)}.`))),
        h("div", { class: "wide-table" }, h("table", { class: "book-table" }, h("caption", {}, `Values are ${show.truth}.`),
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Move"), h("th", { scope: "col" }, "Value"))), h("tbody", {}, rows))),
        more, ...[...also, ...held].map((text) => h("p", {}, text)),
      ].filter(Boolean));
    }

    review() {
      const { match, show } = this, rows = [];
      let known = true;
      for (const { state, place } of match.decisions) {
        const values = this.valued(state);
        if (!values) {
          known = false;
          continue;
        }
        const cost = values.top - values.found.values[place], name = show.named(match, state, match.game.legal(state)[place]);
        rows.push(h("tr", {}, h("td", {}, pictured(name)), h("td", {}, cost > SAME ? show.cost(cost) : "nothing"), h("td", {}, cost > SAME ? pictured(values.best) : "")));
      }
      const parts = rows.length
        ? [h("div", { class: "wide-table" }, h("table", { class: "book-table" }, h("caption", {}, `Values are ${show.truth}.`),
          h("thead", {}, h("tr", {}, ["Your move", "It cost", "Best was"].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, rows)))]
        : [];
      if (!known) parts.push(h("p", {}, show.unknown(match)));
      this.hint.replaceChildren(...parts);
      this.hint.focus(); // the button that asked is gone
    }

    buttons() {
      return [...this.moves.querySelectorAll("button:not([disabled])")];
    }

    // Arrow keys go to the nearest move in their direction.
    walk(event) {
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }, step = steps[event.key];
      const now = document.activeElement;
      if (!step || !this.moves.contains(now)) return;
      const centre = (element) => {
        const box = element.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
      };
      const [x, y] = centre(now), buttons = this.buttons();
      const far = (element) => {
        const [a, b] = centre(element), along = (a - x) * step[0] + (b - y) * step[1], aside = Math.abs((a - x) * step[1]) + Math.abs((b - y) * step[0]);
        return along > 1 ? along + 3 * aside : Infinity;
      };
      const near = buttons.reduce((found, one) => (far(one) < far(found) ? one : found), now);
      const target = near === now ? null : near;
      event.preventDefault();
      if (!target) return;
      target.focus();
    }

    // Tab comes back to the move that had the focus last.
    rove(target) {
      if (target.tagName === "BUTTON") for (const one of this.buttons()) one.tabIndex = one === target ? 0 : -1;
    }
  }

  const start = async () => {
    const root = document.getElementById("play");
    if (!root) return;
    root.textContent = "Fetching the games.";
    try {
      book.page = new Page(root, await book.load("games", root.dataset.tables));
    } catch (error) {
      root.textContent = `Nothing can be played now: ${error.message}.`;
    }
  };
  start(); // the scripts stand after the place where the game goes, and before all else that the page loads
})();
