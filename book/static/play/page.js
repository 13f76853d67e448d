// The page: choose a game and opponents, play, ask for hints. Everything happens in the reader's browser.
"use strict";

(function () {
  const book = window.LearnedAndChecked, { h, capital, percent, pictured } = book;
  const TALLY = "learned-and-checked.tally", GAME = "learned-and-checked.game", PACE = "learned-and-checked.pace";
  const REMEDY = "Reload the page; if that does not help, the site is to be built or copied again, all of its files together. The other games can be played.";
  const HINTS = 6, SAME = 1e-9;
  const MOMENT = 300; // ms in which a button that has just appeared is not meant
  const PACES = { slow: ["Slow", 2000], quick: ["Quick", 900], once: ["At once", 0] };
  const LONGEST = 2000; // moves of the reader in an address

  // What the address asks for, such as #game=wild-ones&against=survivalist,aggressive. With a seed and moves it is a
  // game that was begun.
  function asked(shows, address) {
    const words = new URLSearchParams(address.slice(1));
    const own = (all, key) => key !== null && Object.hasOwn(all, key);
    const name = own(shows, words.get("game")) ? words.get("game") : Object.keys(shows)[0];
    const size = own(shows[name].sizes, words.get("size")) ? words.get("size") : Object.keys(shows[name].sizes)[0];
    const against = (words.get("against") ?? "").split(",").filter(Boolean);
    const heaps = /^\d{1,2},\d{1,2}$/.test(words.get("heaps") ?? "") ? words.get("heaps") : "8,4";
    const moves = /^(\d{1,4}(\.\d{1,4})*)?$/.test(words.get("moves") ?? "x") ? words.get("moves").split(".").filter(Boolean).map(Number) : null;
    const begun = moves && words.get("seed") && moves.length <= LONGEST ? { moves, mark: words.get("of"), taken: words.get("back") === "1", end: words.get("end") === "1" } : null;
    return { name, size, against, heaps, seat: Math.trunc(Number(words.get("seat"))) || 1, seed: words.get("seed"), begun };
  }

  // What this browser keeps. Where it keeps nothing, the page does, until it is left: where the browser refuses, every
  // page of the book has a stand-in; where there is no room, it says so only when it is to keep something.
  const shelf = {
    kept: new Map(), // what the browser did not take
    safe: !window.localStorage.refused,
    get(name) {
      return this.kept.has(name) ? this.kept.get(name) : window.localStorage.getItem(name);
    },
    set(name, text) {
      try {
        if (text === null) window.localStorage.removeItem(name);
        else window.localStorage.setItem(name, text);
        this.kept.delete(name);
      } catch {
        this.kept.set(name, text);
        this.safe = false;
      }
    },
    // Whether something is lost when the page is left.
    loses(name) {
      return Boolean(window.localStorage.refused) || this.kept.has(name);
    },
  };

  // The tallies by game, size, opponents and seat; what is no tally is dropped.
  function tallies(shows) {
    let all = null;
    try {
      all = JSON.parse(shelf.get(TALLY));
    } catch {
      // no JSON
    }
    const whole = (number) => Number.isSafeInteger(number) && number >= 0;
    const good = ([words, one]) => Object.hasOwn(shows, words.split(" ")[0]) && words.split(" ").length === 5
      && one !== null && typeof one === "object" && whole(one.games) && one.games > 0 && whole(one.won) && one.won <= one.games
      && whole(one.idle) && one.idle <= one.games && Number.isFinite(one.score);
    return all && typeof all === "object" && !Array.isArray(all) ? Object.fromEntries(Object.entries(all).filter(good)) : {};
  }

  class Page {
    constructor(root, games) {
      this.root = root;
      this.folder = root.dataset.tables;
      this.shows = Object.fromEntries(Object.entries(games).map(([name, entry]) => [name, book.shown(name, entry)]));
      this.all = tallies(this.shows);
      this.drawn = -Infinity;
      this.build();
      window.addEventListener("hashchange", () => {
        const there = window.location.hash;
        // What this page wrote itself is no wish: going back to it, or to an earlier state of it, must not end the game.
        if (!there.includes("game=")) return;
        const same = (hash) => hash.replace(/&(back|end)=1|&moves=.*/g, "");
        if (this.hash && same(there) === same(this.hash)) this.write();
        else this.leave(() => this.choose(asked(this.shows, there)), () => this.write());
      });
      window.addEventListener("beforeunload", (event) => {
        if (this.underWay && !shelf.safe) event.preventDefault(); // elsewhere the game waits for its player
      });
      // A key that is held down is one press.
      root.addEventListener("keydown", (event) => {
        if (event.repeat && ["Enter", " "].includes(event.key) && event.target.closest("button")) event.preventDefault();
      });
      // A phone's address bar comes and goes, which changes the height alone: then everything keeps its place.
      let width = window.innerWidth;
      window.addEventListener("resize", () => {
        if (window.innerWidth === width) return;
        width = window.innerWidth;
        this.reserve(true);
        this.reserve();
      });
      // A link asks for a game; without one, the game that was left goes on.
      const linked = window.location.hash.includes("game="), left = shelf.get(GAME);
      if (!linked && left && !/^#game=[\w=&.,%+!'()*~-]{1,9000}$/.test(left)) shelf.set(GAME, null);
      this.choose({ ...asked(this.shows, linked ? window.location.hash : shelf.get(GAME) ?? ""), kept: !linked });
      this.comes = linked;
    }

    build() {
      const games = Object.entries(this.shows).map(([name, show]) => h("label", { class: "play-game" },
        h("input", { type: "radio", name: "play-game", value: name, onchange: () => this.leave(() => this.choose({ name }), () => this.check()) }), h("span", {}, show.title)));
      this.options = h("div", { class: "play-options" });
      this.title = h("h2", { class: "play-title" });
      this.goal = h("p", { class: "play-goal" });
      this.about = h("ul", { class: "play-about" });
      this.them = h("p", { class: "play-them" });
      this.scene = h("div", { class: "play-scene" });
      this.status = h("p", { class: "play-status", role: "status" });
      this.moves = h("div", { class: "play-moves", role: "toolbar", "aria-label": "Your moves", tabindex: "-1", onkeydown: (event) => this.walk(event), onfocusin: (event) => this.rove(event.target) });
      this.hint = h("div", { class: "play-hint", "aria-live": "polite", tabindex: "-1" });
      this.log = h("ol", { class: "play-log" });
      this.scroll = h("div", { class: "play-scroll", role: "log", "aria-label": "What has happened", tabindex: "0" }, this.log);
      this.tally = h("p", { class: "play-tally" });
      const tool = (label, does) => h("button", { type: "button", class: "play-tool", onclick: does }, label);
      this.ask = tool("What is best?", () => this.advise());
      this.back = tool("Take back", () => this.takeBack());
      this.again = tool("New game", () => this.meant(() => this.leave(() => this.deal())));
      this.share = tool("Link to this game", () => this.link());
      this.thinks = h("input", { type: "checkbox", onchange: () => this.root.classList.toggle("play-thinking", this.thinks.checked) });
      const forget = h("button", { type: "button", class: "play-tool play-small", onclick: () => this.forget() }, "Forget the tally");
      const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches, kept = shelf.get(PACE);
      this.pace = Object.hasOwn(PACES, kept ?? "") ? kept : still ? "once" : "quick";
      const pace = this.select("Pace of the others", Object.entries(PACES).map(([name, [words]]) => [name, words]), this.pace, (name) => {
        this.pace = name;
        shelf.set(PACE, name);
      });
      this.asking = h("dialog", { class: "play-leave", "aria-label": "Leave this game?" },
        h("p", {}, "This game is not over. Leave it?"),
        h("form", { method: "dialog", class: "play-tools" },
          h("button", { class: "play-tool", value: "stay", autofocus: true }, "Stay"), h("button", { class: "play-tool", value: "leave" }, "Leave it")));
      const rules = h("details", { class: "play-rules", open: window.innerWidth > 760 }, h("summary", {}, "How it is played"), this.goal, this.them);
      this.now = h("section", { class: "play-now", tabindex: "-1", "aria-label": "The table" }, this.title, this.scene, this.status, this.moves,
        h("div", { class: "play-tools" }, this.ask, this.back, this.again, this.share,
          h("label", { class: "play-check" }, this.thinks, " Show what the agents think")), this.hint);
      this.root.replaceChildren(
        rules,
        h("div", { class: "play-board" },
          this.now,
          h("div", { class: "play-past" }, h("h2", { class: "play-title" }, "What has happened"), this.scroll, this.tally, forget),
          h("form", { class: "play-setup", onsubmit: (event) => event.preventDefault() },
            h("fieldset", { class: "play-games" }, h("legend", {}, "Game"), games), this.options, h("div", { class: "play-options" }, pace))),
        h("details", { class: "play-who" }, h("summary", {}, "Who else is there?"), this.about), this.asking,
      );
    }

    // Whether something would be lost if this game were left.
    get underWay() {
      return Boolean(this.match && !this.match.over && this.match.decisions.length);
    }

    // Whether the game that waits for the next visit is this one.
    get waiting() {
      const left = shelf.get(GAME) ?? "";
      return left.startsWith(`#game=${this.name}&`) && left.includes(`&seed=${encodeURIComponent(this.match.seed)}&`);
    }

    // Leaves the game for another, but asks first if it is under way.
    leave(go, stay = () => {}) {
      if (!this.underWay) return go();
      this.asking.returnValue = "stay";
      this.asking.onclose = () => {
        if (this.asking.returnValue !== "leave") return stay();
        if (this.waiting) shelf.set(GAME, null);
        go();
      };
      this.asking.showModal();
    }

    // A press that comes within a moment of the last move was meant for something else: it does nothing.
    meant(does) {
      if (performance.now() - this.drawn >= MOMENT) does();
    }

    // The chosen game, as it is.
    check() {
      for (const radio of this.root.querySelectorAll("input[name=play-game]")) radio.checked = radio.value === this.name;
    }

    // Each part keeps the height that it once had, so that nothing below it jumps.
    reserve(anew = false) {
      for (const part of [this.scene, this.status, this.moves]) {
        if (anew) part.style.minHeight = "";
        else part.style.minHeight = `${Math.max(part.getBoundingClientRect().height, Number.parseFloat(part.style.minHeight) || 0)}px`;
      }
    }

    // A game with what was asked for, and otherwise as usual; sets up the choices and deals.
    choose({ name, size, against = [], heaps = "8,4", seat = 1, seed = null, begun = null, kept = false }) {
      const show = this.shows[name], sizes = Object.keys(show.sizes);
      this.name = name;
      this.show = show;
      this.size = sizes.includes(size) ? size : sizes[0];
      this.heaps = heaps;
      this.asks = { seed, begun, kept };
      const [, seats] = show.sizes[this.size], others = show.apart ? 1 : seats - 1;
      this.against = Array.from({ length: others }, (_, at) => against[at] ?? against[against.length - 1] ?? show.usual[at % show.usual.length]);
      this.seat = Math.min(Math.max(seat, 1), seats);
      this.check();
      this.goal.replaceChildren(`${show.goal} `, show.chapter ? h("a", { href: `${show.chapter}.html` }, "The chapter has all of the rules.") : "");
      this.about.replaceChildren(...Object.entries(show.about).map(([agent, words]) =>
        h("li", {}, h("strong", {}, capital(agent)), `: ${words}.`)));
      this.begin();
    }

    async begin() {
      const wanted = `${this.name}/${this.size}`, turn = (this.turn = {});
      // Nothing of the last game can be played while the next one is fetched, or if it cannot be.
      this.match = this.rounded = null;
      this.hash = "";
      this.root.removeAttribute("data-state");
      for (const part of [this.scene, this.moves, this.hint, this.log]) part.replaceChildren();
      this.reserve(true);
      this.ask.disabled = this.back.disabled = this.again.disabled = this.share.disabled = true;
      this.tally.textContent = "";
      this.title.textContent = this.show.title;
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
        if (turn === this.turn) this.status.textContent = `This game cannot be played now: ${error.message}. ${REMEDY}`;
        return;
      }
      this.offer();
      const { seed, begun, kept } = this.asks, old = begun && begun.mark !== this.marked;
      this.asks = {};
      this.deal(old ? null : seed, old ? null : begun);
      if (this.comes) {
        // Who comes by a link came to play: the board is in sight, and the next Tab leads into it.
        this.now.focus({ preventScroll: true });
        if (this.now.getBoundingClientRect().bottom > window.innerHeight) this.now.scrollIntoView();
        this.comes = false;
      }
      if (old && kept) shelf.set(GAME, null);
      if (old) this.note(`${kept ? "The game that you left was begun" : "The link was made"} with another build of this book, whose players may have decided otherwise. So this is a new game.`);
    }

    note(words) {
      this.log.append(h("li", { class: "play-note" }, words));
    }

    // The build of the tables that are played from: those of the game, and those that an opponent has of its own.
    get marked() {
      const more = this.against.flatMap((agent) => this.tables.agents[agent].in ?? []);
      return [`${this.name}/${this.size}`, ...new Set(more)].map((name) => book.mark("games")[name].slice(0, 8)).join("-");
    }

    select(label, choices, value, change) {
      const id = `play-${label.toLowerCase().replaceAll(" ", "-")}`;
      const list = h("select", { id, onchange: () => change(list.value) },
        choices.map(([name, words, off]) => h("option", { value: name, selected: name === value, disabled: off ?? false }, words)));
      return h("div", { class: "play-choice" }, h("label", { for: id }, label), list);
    }

    // The choices of a game, as its tables allow them.
    offer() {
      const { show } = this, parts = [];
      const choose = (fields) => this.leave(() => this.choose(fields), () => this.offer());
      const now = () => ({ name: this.name, size: this.size, against: this.against, heaps: this.heaps, seat: this.seat });
      if (Object.keys(show.sizes).length > 1) {
        parts.push(this.select("Table", Object.entries(show.sizes).map(([size, [words, , best]]) => [size, words + (best ? ", best moves known" : "")]), this.size, (size) => choose({ ...now(), size, against: [] })));
      }
      if (show.heaps) {
        if (this.tables.roots[this.heaps] === undefined) this.heaps = this.tables.start;
        const [a, b] = this.heaps.split(","), numbers = Array.from({ length: 13 }, (_, count) => [String(count), String(count)]);
        const heap = (label, value, other, join) => this.select(label, numbers.map(([x, y]) => [x, y, x === "0" && other === "0"]), value, (count) => choose({ ...now(), heaps: join(count) }));
        parts.push(heap("Digestives", a, b, (count) => `${count},${b}`), heap("Rich Teas", b, a, (count) => `${a},${count}`));
      }
      const here = Object.keys(this.tables.agents);
      this.against = this.against.map((agent) => (here.includes(agent) && this.plays(agent) ? agent : here.find((one) => this.plays(one))));
      this.against.forEach((agent, at) => {
        const label = this.against.length > 1 ? `Opponent ${at + 1}` : "Opponent";
        parts.push(this.select(label, here.map((one) => [one, capital(one), !this.plays(one)]), agent, (one) => {
          choose({ ...now(), against: this.against.map((other, place) => (place === at ? one : other)) });
        }));
      });
      if (!show.apart) {
        const seats = Array.from({ length: this.against.length + 1 }, (_, at) => [String(at + 1), String(at + 1)]);
        parts.push(this.select("Your seat", seats, String(this.seat), (seat) => choose({ ...now(), seat: Number(seat) })));
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
      return [this.name, this.size, this.show.heaps ? this.heaps : "-", this.against.join("+"), this.show.apart ? 1 : this.seat].join(" ");
    }

    // A new game; with a seed the one that has it, and with moves as far as they lead.
    deal(seed = null, begun = null) {
      const { show } = this, game = book.game(this.tables), root = show.heaps ? this.heaps : undefined;
      const inside = this.root.contains(document.activeElement) && document.activeElement === this.again;
      const number = seed ?? String(window.crypto.getRandomValues(new Uint32Array(1))[0]);
      const names = show.apart ? ["you"] : [...this.against.slice(0, this.seat - 1), "you", ...this.against.slice(this.seat - 1)];
      this.match = new book.Match(game, this.tables.agents, names, number, root);
      this.match.words = show.words;
      this.rival = this.rounded = this.shownAt = null;
      this.done = false;
      this.taken = begun?.taken ?? false;
      const against = [...this.match.shown];
      if (!show.apart) against.splice(this.seat - 1, 1);
      this.title.textContent = `${show.title}: you against ${(show.apart ? this.against : against).join(" and ")}`;
      this.again.disabled = this.share.disabled = false;
      for (const part of [this.moves, this.log, this.hint]) part.replaceChildren();
      if (inside) this.moves.focus({ preventScroll: true }); // until there are moves
      this.root.dataset.seed = number;
      // A game that comes back at its end has been counted, and so has one with moves, unless it was left under way. One
      // without moves, as when others fight a round out, has not.
      this.old = Boolean(begun && (begun.end || (begun.moves.length && !this.waiting)));
      let broken = false;
      for (const place of begun?.moves ?? []) {
        this.tell(this.match.run());
        broken = this.match.over || place >= this.match.game.legal(this.match.state).length;
        if (broken) break;
        this.tell([this.match.decide(place)]);
      }
      while (this.match.events.length < (begun?.at ?? 0)) this.tell([this.match.advance()]);
      if (begun?.end && !broken) while (!this.match.over && !this.match.yours) this.tell([this.match.advance()]);
      this.go(inside, begun !== null);
      if (broken) this.note("Not all moves of the link are possible in this game; it goes on after the last that is.");
    }

    // Keeps the game: in the address, which is a link to it, and for the next visit.
    write() {
      const { match } = this, fields = { game: this.name, size: this.size, against: this.against.join(","), seat: this.seat };
      if (this.show.heaps) fields.heaps = this.heaps;
      Object.assign(fields, { seed: encodeURIComponent(match.seed), of: this.marked });
      if (this.taken) fields.back = 1;
      if (match.over) fields.end = 1;
      fields.moves = match.decisions.map(({ place }) => place).join(".");
      this.hash = `#${Object.entries(fields).map(([key, value]) => `${key}=${value}`).join("&")}`;
      try {
        window.history.replaceState(null, "", this.hash);
      } catch {
        // a browser that counts how often an address changes: the shelf has the game
      }
      // Whoever only looks at another game, or at somebody else's, does not lose the one that waits.
      if (this.underWay && !this.old) shelf.set(GAME, this.hash);
      else if (this.waiting) shelf.set(GAME, null);
    }

    play(place) {
      if (!this.match.yours || this.rounded) return;
      const focused = this.moves.contains(document.activeElement);
      this.old = false;
      this.hint.replaceChildren();
      const event = this.match.decide(place);
      this.tell([event]);
      if (this.pauses(event)) this.pause(event, focused);
      else this.go(focused);
    }

    // Whether a round has ended that the reader should look at.
    pauses(event) {
      return Boolean(this.show.waits && this.show.ends(event) && !this.match.over);
    }

    // Chance and the others, one after the other, until the reader is to move, a round is over or the game is.
    async go(focus, quick = false) {
      const { match } = this, turn = (this.turn = {});
      this.rounded = null;
      this.hint.replaceChildren();
      const last = match.events[match.events.length - 1];
      if (quick && last && this.pauses(last)) return this.pause(last, focus);
      this.write();
      while (!match.over && !match.yours) {
        if (match.player !== book.CHANCE && !quick && PACES[this.pace][1]) {
          this.draw(focus);
          await new Promise((done) => setTimeout(done, PACES[this.pace][1]));
          if (turn !== this.turn) return;
          focus = this.moves.contains(document.activeElement);
        }
        const event = match.advance();
        this.tell([event]);
        if (this.pauses(event)) return this.pause(event, focus);
      }
      this.write();
      this.draw(focus);
    }

    // A round is over: everything stops and is shown.
    pause(event, focus) {
      this.rounded = event;
      this.write();
      this.draw(focus);
    }

    // Whether the last move can be taken back: nothing that was hidden may have been shown since.
    get takes() {
      const { match, show } = this, last = match?.decisions[match.decisions.length - 1];
      if (!last || match.over || this.rounded) return false;
      const open = show.open || this.tables.seen;
      return match.events.slice(last.at + 1).every(({ mover }) => open && mover !== book.CHANCE);
    }

    takeBack() {
      if (!this.takes) return;
      const { decisions, seed } = this.match, { at } = decisions[decisions.length - 1];
      this.deal(seed, { moves: decisions.slice(0, -1).map(({ place }) => place), taken: true, at });
      this.buttons()[0]?.focus();
    }

    tell(events, match = this.match) {
      for (const event of events) {
        const earlier = match.events[event.number - 1];
        if (earlier && this.show.ends(earlier)) this.log.append(h("li", { class: "play-round" }, "The next round."));
        const words = this.show.tell(match, event);
        if (words) {
          const line = h("li", {}, ...[words].flat());
          const first = line.firstElementChild?.firstChild;
          if (first && first.nodeType === Node.TEXT_NODE) first.textContent = capital(first.textContent);
          line.dataset.at = String(match === this.match ? event.number : "");
          if (event.thought) line.append(this.thought(match, event));
          this.log.append(line);
        }
        if (this.show.ends(event) || match.over) this.uncover();
      }
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
      const { match, show } = this, { over } = match, waits = !over && !match.yours && !this.rounded;
      this.root.dataset.state = over ? "over" : this.rounded ? "round" : waits ? "theirs" : "yours";
      if (over) this.finish();
      const parts = this.rounded ? show.scene(match, this.rounded) : (over && show.final(match, this.rival)) || show.scene(match);
      this.scene.replaceChildren(...[parts].flat().filter(Boolean));
      const knows = show.answers(match), { instead } = show, other = instead && this.tables.agents[instead.agent] ? instead : null;
      this.ask.textContent = knows ? "What is best?" : other ? other.ask : "What is best is not known at this table";
      this.ask.disabled = this.root.dataset.state !== "yours" || !(knows || other);
      this.back.disabled = !this.takes;
      this.status.textContent = over ? this.ending.text : this.rounded ? "The round is over." : waits ? `${capital(match.shown[match.player])} is to move.` : "Your move.";
      // While the others move, the reader's moves stay where they are, and do nothing.
      this.moves.classList.toggle("play-theirs", waits);
      if (waits) {
        if (this.moves.querySelector(".play-rounded, .play-steps")) {
          this.moves.replaceChildren();
          if (focus) this.moves.focus();
        }
      } else {
        const choose = (place) => this.meant(() => this.play(place));
        this.moves.replaceChildren(...[over ? this.steps() : this.rounded ? this.next() : show.moves(match, choose)].flat().filter(Boolean));
        this.drawn = performance.now();
        const buttons = this.buttons();
        buttons.forEach((button, at) => (button.tabIndex = at ? -1 : 0));
        if (focus) (over ? this.again : buttons[0])?.focus();
      }
      this.reserve();
      this.showTally();
      this.scroll.scrollTop = this.scroll.scrollHeight;
    }

    // What there is to press when a round is over.
    next() {
      const go = (does) => () => this.meant(() => this.rounded && does());
      const moved = () => this.moves.contains(document.activeElement);
      const button = (label, does) => h("button", { type: "button", class: "play-move play-main", onclick: go(does) }, label);
      const out = this.match.state.counts && !this.match.state.counts[this.match.seat];
      return h("div", { class: "play-group play-rounded", role: "group", "aria-label": "The round is over" },
        button("Next round", () => this.go(moved())), out ? button("To the end", () => this.finishQuickly()) : null);
    }

    // Who is out need not look on.
    finishQuickly() {
      const focus = this.moves.contains(document.activeElement);
      this.rounded = null;
      this.turn = {};
      this.tell(this.match.run());
      this.write();
      this.draw(focus);
    }

    // A game that is over can be looked at again, move by move.
    steps() {
      const { match, show } = this, last = match.events.length - 1, where = h("span", { class: "play-label", role: "status" });
      const to = (number) => {
        const at = Math.min(Math.max(number, 0), last), event = match.events[at], view = match.seenAt(at);
        this.shownAt = at;
        const ended = show.waits && show.ends(event);
        this.scene.replaceChildren(...[at === last && show.final(match, this.rival) ? show.final(match, this.rival) : show.scene(view, ended ? event : null, true)].flat().filter(Boolean));
        for (const line of this.log.children) line.classList.toggle("now", line.dataset.at === String(at));
        const line = this.log.querySelector(".now")?.getBoundingClientRect(), room = this.scroll.getBoundingClientRect();
        if (line) this.scroll.scrollTop += Math.min(0, line.top - room.top) + Math.max(0, line.bottom - room.bottom);
        where.textContent = `${at + 1} of ${last + 1}`;
      };
      const button = (label, words, does) => h("button", { type: "button", class: "play-move", "aria-label": words, onclick: does }, label);
      const now = () => this.shownAt ?? last;
      const back = [button("First", "to the beginning", () => to(0)), button("Back", "one step back", () => to(now() - 1))];
      return h("div", { class: "play-group play-steps", role: "group", "aria-label": "The game again, step by step" },
        back, button("On", "one step on", () => to(now() + 1)), button("Last", "to the end", () => to(last)), where);
    }

    finish() {
      if (this.done) return;
      this.done = true;
      if (this.show.apart) {
        this.rival = new book.Match(this.match.game, this.tables.agents, [this.against[0]], `${this.match.seed} rival`, undefined);
        this.tell(this.rival.run(), this.rival);
      }
      this.ending = { ...this.show.result(this.match, this.rival) };
      const idle = !this.match.decisions.length;
      if (idle) this.ending.text += ` It was over before you had anything to decide${this.old ? "" : "; it counts all the same"}.`;
      if (!this.old && !this.taken) {
        this.all = tallies(this.shows); // other tabs play too
        const { games, score, won, idle: before } = { games: 0, score: 0, won: 0, idle: 0, ...this.all[this.words] };
        this.all[this.words] = { games: games + 1, score: score + this.ending.score, won: won + Number(this.ending.won ?? this.ending.score > 0), idle: before + Number(idle) };
        shelf.set(TALLY, JSON.stringify(this.all));
      } else if (this.taken) this.ending.text += " A move was taken back, so it is not counted.";
      this.hint.replaceChildren(...this.costs());
    }

    // What there is to ask when the game is over.
    costs() {
      const { over, decisions } = this.match;
      return over && decisions.length ? [h("button", { type: "button", class: "play-tool", onclick: () => this.review() }, "What did my decisions cost?")] : [];
    }

    showTally() {
      const found = Object.hasOwn(this.all, this.words) ? this.all[this.words] : null;
      const idle = found?.idle ? `; ${found.idle} of them over before your first decision` : "";
      const kept = shelf.loses(TALLY) ? " This browser keeps nothing for this page: the tally is lost when you leave it." : "";
      this.tally.textContent = (found ? `Your tally here: ${this.show.tally(found)}${idle}.` : "No game finished here yet.") + kept;
    }

    // A link to the game as it stands, or to all of it.
    async link() {
      const address = window.location.href.split("#")[0] + this.hash;
      const field = h("input", { type: "text", class: "play-link", readonly: true, value: address, "aria-label": "The link", onfocus: () => field.select() });
      const said = h("span", {}, "");
      this.hint.replaceChildren(h("p", {}, this.match.over ? "This link shows the whole game, move by move. " : "This link goes on from here. ", said), field, ...this.costs());
      try {
        await window.navigator.clipboard.writeText(address);
        said.textContent = "It has been copied.";
      } catch {
        field.focus(); // to be copied by hand
      }
    }

    forget() {
      this.all = {};
      shelf.set(TALLY, null);
      this.showTally();
    }

    // Values of the moves of a position, each name once, and the names of all that are best; null where they are not
    // known.
    valued(state) {
      const { match, show } = this, found = show.values(match, state);
      if (!found) return null;
      const moves = match.game.legal(state), top = Math.max(...found.values), named = new Map(), best = new Set();
      const order = moves.map((_, at) => at).sort((a, b) => (Math.abs(found.values[b] - found.values[a]) <= SAME ? a - b : found.values[b] - found.values[a]));
      for (const at of order) {
        const name = show.named(match, state, moves[at]);
        if (!named.has(name)) named.set(name, found.values[at]);
        if (found.values[at] >= top - SAME) best.add(name);
      }
      return { found, top, named, best: [...best] };
    }

    // Moves in a sentence, and how many more if there are many.
    listed(names, join = "or") {
      const shown = names.slice(0, HINTS), more = names.length - shown.length;
      const last = more ? `${more} more` : shown.pop();
      return shown.length ? `${shown.join(", ")} ${join} ${last}` : last;
    }

    advise() {
      const { match, show } = this;
      if (!match || this.root.dataset.state !== "yours") return;
      const known = this.valued(match.state);
      const also = show.also ? show.also(match, match.state) : [];
      if (!known) {
        this.hint.replaceChildren(...(show.instead && !show.answers(match) && this.tables.agents[show.instead.agent] ? this.advised() : [h("p", {}, show.unknown(match))]));
        return;
      }
      const hopeless = show.hopeless?.(known.top);
      if (hopeless) {
        this.hint.replaceChildren(h("p", {}, h("strong", {}, hopeless)));
        return;
      }
      const rows = [...known.named].slice(0, HINTS).map(([name, value]) => h("tr", {}, h("td", {}, pictured(name)), h("td", {}, show.worth(value))));
      const more = known.named.size > HINTS ? h("p", { class: "play-small" }, `And ${known.named.size - HINTS} more.`) : null;
      const held = show.held ? show.held(match, known.found) : [], ties = known.best.length > 1;
      const all = known.named.size > 1 && known.best.length === known.named.size;
      const words = all ? `All ${known.named.size} moves are equally good: ${show.worth(known.top)}.`
        : `${ties ? "Equally good are" : "Best is"} ${this.listed(known.best, "and")}: ${show.worth(known.top)}.`;
      this.hint.replaceChildren(...[
        h("p", {}, h("strong", {}, pictured(words))),
        h("div", { class: "wide-table" }, h("table", { class: "book-table" }, h("caption", {}, `Values are ${show.truth}.`),
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Move"), h("th", { scope: "col" }, "Value"))), h("tbody", {}, rows))),
        more, ...[...also, ...held].map((text) => h("p", {}, text)),
      ].filter(Boolean));
    }

    // What an agent would do, where nothing exact is known.
    advised() {
      const { match, show } = this, { agent, words } = show.instead;
      const { row } = book.acts(match.game, this.tables.agents[agent], match.state, match.seat, match.names);
      const likely = match.game.legal(match.state).map((move, at) => [row[at], show.named(match, match.state, move)]).filter(([chance]) => chance > 0).sort((a, b) => b[0] - a[0]);
      return [h("p", {}, `${words} “${capital(agent)}”, ${show.about[agent]}, would play:`), h("p", {}, h("strong", {}, pictured(likely.map(([chance, name]) => `${name} ${percent(chance)}`).join(", "))))];
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
        rows.push(h("tr", {}, h("td", {}, pictured(name)), h("td", {}, cost > SAME ? show.cost(cost) : "nothing"), h("td", {}, cost > SAME ? pictured(this.listed(values.best)) : "")));
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
      const page = (book.page = new Page(root, await book.load("games", root.dataset.tables)));
      const skip = document.querySelector(".skip-link a"); // leads to the table, and leaves the address to the game
      skip.textContent = "Skip to the table";
      skip.addEventListener("click", (event) => {
        event.preventDefault();
        page.now.focus();
      });
    } catch (error) {
      root.textContent = `Nothing can be played now: ${error.message}. Reload the page; if that does not help, the site is to be built or copied again, all of its files together.`;
    }
  };
  start(); // the scripts stand after the place where the game goes, and before all else that the page loads
})();
