/**
 * What the page is made of: one schema, whether it comes from the file itself or over HTTP.
 *
 * `src/quire/pages/payload.py` makes it. Documents are named by their row in the run, topics by their number.
 * All text in it is hostile: it is only ever put on the page as text.
 */

/** Small, and all that the first view needs. Resource "head". */
export interface Head {
  schema: 1
  /** The name of the run. */
  title: string
  /** Documents, and how many of them have no topic. */
  n: number
  unassigned: number
  topics: Topic[]
  /** The names of the known classes, which the column `label` of the points counts; null: none are known. */
  labels: string[] | null
  /** Calendar bin of the sparklines and the first day of each bin; null: no dates are known. */
  spark: { bin: Bin; starts: string[] } | null
  classes: Classes | null
  /** Pages of an older Quire have none. */
  by?: { columns: ByColumn[] } | null
  /** The tree of topics; null: none was grown. Pages of an older Quire have none. */
  tree?: { nodes: TreeNode[] } | null
  /** What topics part into on the map, where no tree says it: `Points.part` counts them. Pages of an older Quire have none. */
  parts?: { topic: number; keywords: string[] }[] | null
  choice: Choice | null
  compare: Compare | null
  /** Sections without a view of their own. */
  tables: TableSection[]
  about: About
  /** Where each column lies in the resource "points". */
  columns: Column[]
  has: {
    /** Texts can be shown (of a matrix there are none). */
    text: boolean
    /** It can be told which words put a document into its topic. */
    words: boolean
    /** Several runs were made, so that it is known how sure a topic is. */
    confidence: boolean
    /** Full text can be searched (under `quire serve`). */
    search: boolean
    /** New names of topics are kept in the run (under `quire serve`). */
    rename: boolean
    /** Topics can be merged, split and removed, and documents moved (under `quire serve`). */
    edit?: boolean
  }
  /** What was left out of the file for its size; null: nothing. */
  left: { kept: number; sentence: string; command: string } | null
  /**
   * Numbers of topics that the same documents can be seen in, this one among them. Each has its own head, terms, time
   * and points, and its own `memberships` and `why` of a document; a file has no `label`, `date` and `chunk` of them.
   */
  cuts: number[]
  /** What people changed about the run; pages of an older Quire have none. */
  edits?: Edits
}

export interface Edits {
  /** How many edits there are: who edits what somebody else edited meanwhile is told by it. */
  version: number
  /** How many can be taken back, and brought again. */
  undo: number
  redo: number
  /** The last ones, in order; what was undone does not hold. */
  log: { text: string; who: string; when: string; holds: boolean }[]
}

export interface Topic {
  topic: number
  name: string
  /** What somebody noted about it. */
  note?: string | null
  size: number
  share: number
  /** How often two of its documents are together, over pairs and runs. */
  stability: number | null
  /** Mean over its documents. */
  confidence: number | null
  membership: number
  /** Of how many documents it explains half or more; pages of an older Quire do not say. */
  clear?: number
  /** Most telling first, with p(word | topic), of phrases that of their rarest word. */
  keywords: [word: string, share: number][]
  /** Terms for the relevance slider: index into Terms, p(term | topic). Largest share first. */
  terms: [word: string, share: number, overall: number][]
  /** Other topics, nearest first, with the cosine of their term weights. */
  nearest: [topic: number, similarity: number][]
  /** Rows of documents to read, most typical first, and of documents nearly as much in another topic. */
  typical: number[]
  borderline: number[]
  /** A sentence to quote from one of the typical documents; pages of an older Quire have none. */
  passage?: string | null
  /** Where it lies on the map, from 0 to 1. */
  x: number
  y: number
  /** Documents by bin of `Head.spark`. */
  spark: number[] | null
}

export type Bin = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'decade'

/** Resource "time"; null where no dates are known. */
export interface Time {
  /** The bin that fits. */
  bin: Bin
  /** Documents with a topic but without a date. */
  undated: number
  /** Finest first; a bin that would cut time into more than 400 pieces is not there. */
  bins: Partial<Record<Bin, Binned>>
}

export interface Binned {
  /** First day (ISO) of each bin, none skipped. */
  starts: string[]
  /** Documents, topic by topic, bin by bin. */
  counts: number[][]
  /** Topic by topic its words, each with [bin, weight in that bin] where the weight is not zero. */
  words: [word: string, weights: [bin: number, weight: number][]][][]
}

/** Resource "terms": the vocabulary, most frequent first (at most 20,000, and every keyword). */
export interface Terms {
  words: string[]
  /** How often each occurs in all documents. */
  totals: number[]
  /** Up to three topics that a term is most telling for, and p(topic | term) in percent. */
  topics: [topic: number, percent: number][][]
  /** Terms that are left out. */
  left: number
}

export interface Column {
  name:
    | 'x'
    | 'y'
    | 'topic'
    | 'other'
    | 'membership'
    | 'confidence'
    | 'rank'
    | 'label'
    | 'date'
    | 'chunk'
    | 'node'
    | 'part'
    | `by${number}`
  type: 'u8' | 'i16' | 'u16' | 'i32' | 'u32'
  /** In bytes. Numbers are little-endian, columns begin at multiples of 4. */
  offset: number
}

/**
 * Resource "points", as columns with a number a document.
 * x, y: 0 to 65535. topic, other: −1 none; `other` is the runner-up, or, of a document left unassigned because it is
 * unsure, the topic it is nearest to. membership: 0 to 255 for 0 to 1. confidence: 0 to 254 for 0 to 1; 255: not known.
 * rank: place in its topic, 0 the most typical. label: 65535 none. date: days since 1970-01-01; −2147483648 none.
 * chunk: the part of the file that holds its text; −1: left out (the column is there only in a file).
 */
export interface Points {
  x: Uint16Array
  y: Uint16Array
  topic: Int16Array
  other: Int16Array
  membership: Uint8Array
  confidence: Uint8Array
  rank: Uint32Array
  label: Uint16Array | null
  date: Int32Array | null
  chunk: Int16Array | null
  /** The deepest node of each document in `Head.tree`; one that is none of them: it has no topic. Null: there is no tree. */
  node: Uint16Array | Uint32Array | null
  /** The part of its topic in `Head.parts`; one that is none of them: it is in none. Null: there are no parts. */
  part: Uint16Array | null
  /** By column of `Head.by` the number of each document's value; one that is none of them: it has none. */
  by: (Uint8Array | Uint16Array)[]
}

/** A document as lists show it. `id` is null where it was left out of the file. */
export interface Listed {
  row: number
  id: string | null
  title: string | null
  /** The beginning of its text. */
  snippet: string | null
}

/** A document with all that its table says of it. */
export interface Full extends Listed {
  text: string | null
  label: string | null
  date: string | null
  /** The other columns of its table, in their order, with what stands there; pages of an older Quire have none. */
  beside?: [name: string, value: string][]
  /** Where it is on the web: an address that begins with http:// or https://. */
  url?: string | null
}

/** A document as a whole. */
export interface Whole extends Full {
  /** The text is longer than what is shown: how many characters it has. */
  length: number
  /** Largest first, down to 0.5 %. */
  memberships: [topic: number, share: number][]
  why: Why | null
}

/** Why a document is in its topic: contributions x_ij·h_tj, which sum to the score (X Hᵀ)_it. */
export interface Why {
  topic: number
  /** The topic beside it; −1: none. */
  other: number
  score: number
  other_score: number
  /**
   * Largest contribution first: the term, the forms it has in this text, x_ij, x_ij·h_tj, the same for `other`,
   * and, where the method weighs evidence (a mixture), x_ij·log(h_tj / h_sj), else null.
   */
  terms: [word: string, forms: string[], x: number, mine: number, others: number, evidence: number | null][]
  /** All terms that are not listed, together. */
  rest: { terms: number; mine: number; others: number; evidence: number | null }
}

export interface Classes {
  /** Rows of the matrix, and the topics of its columns, ordered so that matched pairs lie on the diagonal. */
  labels: string[]
  topics: number[]
  matrix: number[][]
  /** Documents of each class in no topic. */
  unassigned: number[]
  /** The class matched with each topic of `topics`; null: none. */
  matched: (string | null)[]
  scores: { key: string; name: string; value: number; meaning: string; better: 'higher' | 'lower' }[]
  said: string[]
}

/** Topics by the values of one column, as rows of topics. */
export interface ByColumn {
  name: string
  kind: 'values' | 'numbers' | 'time'
  values: string[]
  documents: number[][]
  /** The same by weight, where documents have weights: as many in all. */
  weighted: number[][] | null
  /** Adjusted standardised residuals; `out`: 1 more, −1 fewer than chance would have, 0 neither. */
  residual: number[][]
  out: number[][]
  notes: string[]
}

/** A node of the tree of topics, numbered by its place: the first is the root, and children come after their parents. */
export interface TreeNode {
  parent: number | null
  /** Its documents, those below it among them. */
  size: number
  /** The words that tell it from its siblings. */
  keywords: string[]
  /** The topic of the run that it is. */
  topic: number | null
  /** From how many topics on a cut has its children instead of it; null: it is a leaf. */
  parts_at: number | null
  /** Documents that are in none of its children. */
  aside: number
  /** It was looked at, and no more was seen below it than chance would have. */
  whole: boolean
}

/** A section that one view shows, whatever it is about: its name in the address, paragraphs, and a table. */
export interface TableSection {
  name: string
  title: string
  text: string[]
  columns: string[]
  rows: (string | number | null)[][]
}

/** What `quire choose` found; as in its choice.json. */
export interface Choice {
  k: number
  lam: number | null
  by: string
  says: Record<string, number>
  verdict: string[]
  table: Record<string, number | null>[]
  elbow: {
    k: number
    first: number
    second: number
    sharp: boolean
    singular_values: number[]
    likelihood: number[]
  } | null
  /** Consensus matrices, ordered so that groups lie together, made small: k, and rows of 0 to 100. */
  heat: { k: number; rows: number[][] }[]
  /**
   * λ–k search (`--by nmi`); null where not made. Points: each λ that was run, with the mean and the highest soft NMI
   * (`nmi`) of its runs and the 95 % interval around the highest (it may leave 0 to 1; null: not known). Curves: the
   * cubic through the highest values at the four nodes of each k, and the best λ among its candidates.
   */
  search: {
    points: {
      k: number
      lam: number
      kind: 'node' | 'zero' | 'candidate'
      runs: number
      mean: number
      nmi: number
      low: number | null
      high: number | null
    }[]
    curves: { k: number; lam: number[]; nmi: number[]; best: number }[]
  } | null
}

export interface Compare {
  /** The name of the other run, and its topics. */
  title: string
  topics: { topic: number; name: string; size: number; keywords: string[] }[]
  /** Documents in both runs, and in one only. */
  shared: number
  only_here: number
  only_there: number
  /** Shared documents by topic here (last row: none) and there (last column: none). */
  matrix: number[][]
  /**
   * Matched topics in the order of those here, then topics alone (the other is −1), here and there: documents in both,
   * Jaccard, and the keywords (of ten) that both have.
   */
  matches: { here: number; there: number; both: number; jaccard: number; words: string[] }[]
  /** Documents that are not in the topic matched with theirs: row, topic here, topic there; firmest members here first, at
   *  most 1,000. */
  moved: [row: number, here: number, there: number][]
  n_moved: number
  ari: number
  nmi: number
}

export interface About {
  /** The command that repeats the run. */
  command: string
  quire: string
  created: string
  recipe: string
  recipe_about: string
  paper: string
  seed: number
  runs: number | null
  options: Record<string, unknown>
  versions: Record<string, string>
  timings: Record<string, number>
  terms: { kept: number; cut: Record<string, unknown>; language: string | null; documents_without: number }
  fit: Record<string, unknown>
  fingerprint: string
  /** What was noticed while reading. */
  notes: string[]
  scores: Record<string, number>
  layout: string
}

/** Found by a search. */
export interface Found {
  /** Rows, best first, at most 200, with the passage found; the words found lie between \u0002 and \u0003. */
  documents: { row: number; title: string | null; id: string | null; passage: string }[]
  /** Documents found; `more`: there are more, which were neither counted nor ranked. */
  total: number
  more?: boolean
  /** Still being made: from 0 to 1; 1: ready. */
  ready: number
}
