// How Sphinx's search weighs what it finds: the chapters and pages that explain come before the reference and the index.
var Scorer = {
  score: ([page, , , , score]) => score - (/^(book\/api-|book\/changelog|book\/licence|genindex)/.test(page) ? 100 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
