// What the live pictures of the stories share: a place on the page, controls, an SVG whose parts answer to the pointer
// and to the keyboard alike, and a line that says aloud what has changed. Numbers come from tables that
// `support.figures.live` writes while the book is built.
"use strict";

(function () {
  const book = (window.LearnedAndChecked = window.LearnedAndChecked || {});
  const SVG = "http://www.w3.org/2000/svg", STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const sent = new Map(); // tables, by the picture's name
  let count = 0;

  const made = (node, attributes, inside) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...inside.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
    return node;
  };
  const h = (tag, attributes = {}, ...inside) => made(document.createElement(tag), attributes, inside);
  const s = (tag, attributes = {}, ...inside) => made(document.createElementNS(SVG, tag), attributes, inside);

  // A number as the book prints it: so many decimals, a true minus, none before a zero. A half goes to the even digit,
  // as in Python, and not upwards.
  const show = (number, digits = 0) => {
    let text = Math.abs(number).toFixed(digits);
    const half = /50{29}$/.test(Math.abs(number).toFixed(digits + 30));
    if (half && /[13579]$/.test(text)) text = (Number(text) - 10 ** -digits).toFixed(digits);
    return (number < 0 && Number(text) ? "−" : "") + text;
  };
  // A fraction written as "3/8", or a whole number, as a number.
  const value = (fraction) => {
    const [over, under = "1"] = String(fraction).split("/");
    return Number(over) / Number(under);
  };

  // A picture's place: first its controls, then what it draws, then what it says.
  class Panel {
    constructor(root) {
      this.root = root;
      this.controls = h("div", { class: "live-controls" });
      this.scene = h("div", { class: "live-scene" });
      this.said = h("p", { class: "live-said" });
      this.more = h("div", { class: "live-more" });
      root.querySelector(".live-none").remove();
      root.append(this.controls, this.scene, this.said, this.more);
      // Read aloud from the first touch on, not while the page is loaded.
      for (const kind of ["focusin", "pointerdown"]) root.addEventListener(kind, () => this.said.setAttribute("role", "status"), { once: true });
    }

    say(...words) {
      this.said.replaceChildren(...words);
    }

    // Draws anew: a picture of this size in its own units, named for those who cannot see it.
    draw(width, height, label, ...inside) {
      const focused = this.scene.contains(document.activeElement) && document.activeElement.dataset.key;
      const all = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": label }, ...inside);
      this.scene.replaceChildren(all);
      const cells = [...all.querySelectorAll("[data-at]")];
      const stop = cells.find((one) => one.dataset.key === (focused || this.stop)) || cells[0];
      for (const one of cells) one.setAttribute("tabindex", one === stop ? 0 : -1);
      if (focused && stop) stop.focus();
      return all;
    }

    // Draws, and again whenever the place has become narrow or wide.
    fits(draw) {
      const look = () => {
        const narrow = this.root.clientWidth < 480;
        if (narrow === this.narrow) return;
        this.narrow = narrow;
        draw();
      };
      look();
      new ResizeObserver(look).observe(this.root);
    }

    // A part of the picture that can be visited (pointed at, or focused) and pressed. `at` is its column and row; `key`
    // tells it from the others where a new drawing has it elsewhere.
    cell(at, label, { press, visit, pressed, key = at.join() }, ...inside) {
      const act = (event) => {
        if (event.key !== undefined && event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        if (!event.repeat) press?.();
      };
      const part = s("g", {
        class: "live-cell", role: press ? "button" : "img", "data-at": at.join(), "data-key": key, "aria-label": label, "aria-pressed": pressed,
        onclick: (event) => { this.reach(part); act(event); },
        onkeydown: (event) => (STEPS[event.key] ? this.walk(event, part) : act(event)),
        onfocus: () => { this.stop = key; visit?.(); },
        onpointerenter: (event) => { if (event.pointerType === "mouse") visit?.(); },
      }, ...inside);
      return part;
    }

    reach(part) {
      for (const one of this.scene.querySelectorAll("[tabindex='0']")) one.setAttribute("tabindex", -1);
      part.setAttribute("tabindex", 0);
      part.focus();
    }

    // An arrow key goes to the nearest part in its direction, best straight ahead.
    walk(event, part) {
      event.preventDefault();
      const [dx, dy] = STEPS[event.key], [x, y] = part.dataset.at.split(",").map(Number);
      let near = null, least = Infinity;
      for (const one of this.scene.querySelectorAll("[data-at]")) {
        const [a, b] = one.dataset.at.split(",").map(Number), ahead = (a - x) * dx + (b - y) * dy;
        const far = ahead + 4 * (Math.abs((a - x) * dy) + Math.abs((b - y) * dx));
        if (ahead > 0 && far < least) [near, least] = [one, far];
      }
      if (near) this.reach(near);
    }

    add(control) {
      this.controls.append(control);
      return control;
    }

    // Labelled; `spoken` puts its value into words.
    slider(label, { min = 0, max, step = 1, value: start }, spoken, changed) {
      const name = `live-control-${count++}`, told = h("output", { for: name });
      const input = h("input", { id: name, type: "range", min, max, step, value: start });
      const tell = () => {
        told.textContent = spoken(Number(input.value));
        input.setAttribute("aria-valuetext", told.textContent);
      };
      input.addEventListener("input", () => { tell(); changed(Number(input.value)); });
      input.set = (to) => { input.value = to; tell(); };
      tell();
      this.add(h("div", { class: "live-control live-slider" }, h("label", { for: name }, label), input, told));
      return input;
    }

    // `options` are pairs of a value and what it is called.
    choice(label, options, start, changed) {
      const name = `live-control-${count++}`;
      const select = h("select", { id: name, onchange: () => changed(select.value) },
        options.map(([one, words]) => h("option", { value: one, selected: String(one) === String(start) }, words)));
      this.add(h("div", { class: "live-control" }, h("label", { for: name }, label), select));
      return select;
    }

    button(label, pressed) {
      return this.add(h("button", { type: "button", onclick: pressed }, label));
    }
  }

  // The scripts of pictures call this. What goes wrong is said in the picture's place, and nowhere else.
  const draw = (name, picture) => {
    const root = document.querySelector(`.live[data-live="${name}"]`);
    if (!root) return;
    const panel = new Panel(root);
    try {
      const tables = sent.get(name);
      if (!tables) throw new Error("its tables are missing");
      picture(panel, tables);
      root.dataset.state = "live";
    } catch (error) {
      for (const part of [panel.controls, panel.scene, panel.more]) part.remove();
      panel.say(`This picture cannot be drawn: ${error.message}. Building the book anew brings its tables back.`);
      root.dataset.state = "broken";
    }
  };

  book.live = { draw, h, s, show, value, tables: (name, found) => sent.set(name, found) };
})();
