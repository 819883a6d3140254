/** What the view "About" says in words of its own: why terms were cut, why a fit stopped, what words mean, which keys help. */

/** Why terms were cut: a name, and what it means. */
export const CUTS: Record<string, [name: string, meaning: string]> = {
  stop_words: ['stop words', 'words such as “the” and “of”'],
  min_count: ['too rare', 'seldom in all documents together'],
  min_df: ['in too few documents', 'what one document says alone joins nothing'],
  max_df: ['in too many documents', 'what all documents say divides nothing'],
  cut_common: ['too common', 'so frequent here that they tell little'],
  keep_share: ['rare', 'outside the share of all counts that is kept'],
  stem: ['same stem', 'joined with another word of the same stem'],
}

export const FIT: Record<string, [name: string, meaning: string]> = {
  objective: ['objective', 'what was made as small as possible'],
  error: ['error', '‖X − WH‖, what topics leave unexplained'],
  iterations: ['iterations', 'of the best run'],
}

export const STOPPED: Record<string, string> = {
  tol: 'it had settled: another iteration would hardly have changed anything',
  max_iter: 'it had made all its iterations and was not settled yet: raise max_iter in the recipe',
  max_time: 'its time was over',
  callback: 'it was told to',
}

export const LAYOUTS: Record<string, string> = {
  topics: 'topics by the similarity of their words, documents around them by their memberships',
  tsne: 't-SNE of the documents’ memberships',
}

export const GLOSSARY: [word: string, meaning: string][] = [
  [
    'topic',
    'a list of words with weights, found in the documents alone; a document is in the topic that explains most of it. Its name is made of its most telling words and can be changed.',
  ],
  ['keyword', 'a word that tells a topic from the others: frequent in it, and rarer elsewhere.'],
  [
    'membership',
    'the share of a document that a topic explains, from 0 to 1; over all topics they sum to 1.',
  ],
  [
    'confidence',
    'the share of the runs, from different starts, that put a document into its topic. Membership says how much, confidence how surely.',
  ],
  [
    'stable',
    'of a topic: how often two of its documents are together in a run, over all pairs and runs; 100 % is always. The same number as in the terminal’s column Stable.',
  ],
  ['clear place', 'of a document: its topic explains half of it or more, so its membership is 0.5 or more.'],
  [
    'relevance λ',
    'how words of a topic are ordered: at 1 by how frequent they are in it, at 0 by how much more frequent than elsewhere, between by a mixture of both.',
  ],
  [
    'no topic',
    'a document without any word that was kept, or one that was left unassigned because it was unsure.',
  ],
]

export const KEYS: [keys: string, does: string][] = [
  ['Tab, Shift-Tab', 'to the next link, button or chart, and back; the first one skips to the content'],
  ['Enter, Space', 'opens what is in focus: a topic, a band, a cell, a ribbon'],
  ['← → ↑ ↓', 'move within a chart: from cell to cell, from point to point'],
  [
    '+ − 0',
    'on the map: nearer, farther, all of it; the wheel does the same once the map was clicked, or with Ctrl or ⌘',
  ],
  ['Shift', 'held while dragging on the map: draws a line around documents, which lists them'],
  ['Escape', 'on the map: gives up the line and puts the lasso away'],
  ['/', 'to the search box'],
  ['j, k', 'while a document is read: the next of its topic, and the one before'],
  [
    'Alt-←',
    'the browser’s own way back: every state of this page has an address, which can be sent as a link',
  ],
]

export const STAGES: Record<string, string> = {
  read: 'reading documents',
  count: 'counting terms',
  weigh: 'weighing',
  factorize: 'finding topics',
  learn: 'learning classes',
  describe: 'describing topics',
  cuts: 'cutting at other numbers of topics',
}

/** A time as one says it, in seconds or thousandths of one. */
export function inSeconds(value: number): string {
  if (value >= 100) return `${Math.round(value)} s`
  return value >= 1 ? `${value.toFixed(1)} s` : `${Math.max(1, Math.round(1000 * value))} ms`
}
