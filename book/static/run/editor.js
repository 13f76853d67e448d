// The editor of a program: CodeMirror with as much as a few lines of Python need. The build makes one script of it.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tagHighlighter, tags as t } from "@lezer/highlight";

// The names that the page's own colours have, so that a program looks the same before and after.
const colours = tagHighlighter([
  { tag: [t.keyword, t.self, t.null, t.bool], class: "k" },
  { tag: t.operatorKeyword, class: "ow" },
  { tag: [t.definitionKeyword, t.controlKeyword, t.moduleKeyword, t.modifier], class: "k" },
  { tag: [t.operator, t.definitionOperator, t.compareOperator, t.updateOperator], class: "o" },
  { tag: t.comment, class: "c1" },
  { tag: [t.string, t.special(t.string)], class: "s2" },
  { tag: t.number, class: "mi" },
  { tag: t.function(t.definition(t.variableName)), class: "nf" },
  { tag: t.definition(t.className), class: "nc" },
  { tag: t.meta, class: "nd" },
]);

LearnedAndChecked.run.editor = ({ parent, text, label, hint, changed, run }) => {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: "Mod-Enter", run: () => (run(), true) },
          { key: "Shift-Enter", run: () => (run(), true) },
        ]),
        history(), indentOnInput(), indentUnit.of("    "), python(), syntaxHighlighting(colours),
        // Tab indents; after Escape it leaves the editor.
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": hint, tabindex: "0" }),
        // The line that is written is not hidden under the bar at the foot.
        EditorView.scrollMargins.of(() => ({ bottom: document.querySelector(".run-foot")?.offsetHeight ?? 0 })),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    set: (now) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } }),
    focus: () => view.focus(),
    end: () => view.destroy(),
  };
};
