/** The sum that puts a document into its topic, term by term, and one term of it in words. */
import type { JSX } from 'preact'
import { count, counted, decimal, percent, plain, significant } from '../format'
import type { Why } from '../payload'
import { href, param, setParams } from '../route'
import { nameOf } from '../store'
import { Table, type ColumnOf } from '../ui/Table'

/** One term of the sum, in words. */
export function Explained({ why, word }: { why: Why; word: string }): JSX.Element {
  const found = why.terms.find(([term]) => term === word)
  return (
    <section class="card document-explained" aria-live="polite" aria-labelledby="document-explained">
      <h2 id="document-explained">{found ? `‘${plain(word, 60)}’` : 'A word explained'}</h2>
      {found ? <Sentence why={why} term={found} /> : <p>Click a marked word, or a row of the table.</p>}
    </section>
  )
}

function Sentence({
  why,
  term: [word, forms, x, mine, others, evidence],
}: {
  why: Why
  term: Why['terms'][number]
}): JSX.Element {
  const here = plain(nameOf(why.topic), 60)
  const there = plain(nameOf(why.other), 60)
  const share = why.score !== 0 ? mine / why.score : 0
  const shown = forms
    .filter((form) => form !== word)
    .slice(0, 5)
    .map((form) => `“${plain(form, 40)}”`)
  return (
    <>
      <p>
        x {significant(x)} × h {significant(x !== 0 ? mine / x : 0)} = <b>{significant(mine)}</b>,{' '}
        {percent(share)} of the score of {here}
        {why.other >= 0 && (
          <>
            ; for {there} {significant(others)}
          </>
        )}
        .
      </p>
      {evidence !== null && (
        <p>
          Its evidence is {signed(evidence)}: it speaks{' '}
          {evidence >= 0 ? (
            <>
              for {here}, against {there}
            </>
          ) : (
            <>
              for {there}, against {here}
            </>
          )}
          .
        </p>
      )}
      <p class="document-how">
        x: how much the document uses the word, h: how much the topic does.
        {shown.length > 0 && <> In this text as {shown.join(', ')}.</>}{' '}
        <a href={href('word', word)}>All about this word</a>
      </p>
    </>
  )
}

const signed = (value: number): string => `${value >= 0 ? '+' : ''}${decimal(value)}`

interface Row {
  key: string
  word: string | null
  x: number | null
  mine: number
  others: number
  evidence: number | null
}

/** Rows of the table, then what is left and the sum: together they are the score. */
export function rowsOf(why: Why): { rows: Row[]; rest: Row; sum: Row } {
  const rows = why.terms.map(([word, , x, mine, others, evidence], i) => ({
    key: `${i}`,
    word,
    x,
    mine,
    others,
    evidence,
  }))
  const { mine, others, evidence } = why.rest
  const all = evidence === null ? null : why.terms.reduce((sum, term) => sum + (term[5] ?? 0), evidence)
  return {
    rows,
    rest: { key: 'rest', word: null, x: null, mine, others, evidence },
    sum: { key: 'sum', word: null, x: null, mine: why.score, others: why.other_score, evidence: all },
  }
}

/** What is left as it is shown: what the figures as shown lack to the sum as shown, so that anyone who adds them up finds it. */
export function restShown(shown: number[], sum: number, digits: number): number {
  const unit = 10 ** digits
  const units = (value: number) => Math.round(Number(value.toFixed(digits)) * unit) // as toFixed rounds halves
  return (units(sum) - shown.reduce((total, value) => total + units(value), 0)) / unit
}

export function Contributions({ why }: { why: Why }): JSX.Element {
  const { rows, rest, sum } = rowsOf(why)
  const chosen = param('word')
  const digits =
    Math.abs(why.score) >= 1
      ? 3
      : Math.min(6, 3 + Math.ceil(-Math.log10(Math.max(Math.abs(why.score), 1e-6))))
  const left: Row = {
    ...rest,
    mine: restShown(
      rows.map((row) => row.mine),
      sum.mine,
      digits,
    ),
    others: restShown(
      rows.map((row) => row.others),
      sum.others,
      digits,
    ),
    evidence:
      sum.evidence === null
        ? null
        : restShown(
            rows.map((row) => row.evidence ?? 0),
            sum.evidence,
            2,
          ),
  }
  const foot =
    why.rest.terms > 0 || left.mine !== 0 || left.others !== 0 || left.evidence ? [left, sum] : [sum]
  return (
    <section class="document-sum" aria-labelledby="document-sum">
      <h2 id="document-sum">What adds up to the score</h2>
      <p class="document-how">
        The score of a topic is the sum, over all terms, of how much the document uses the term (x) times how
        much the topic does (h); the {counted(rows.length, 'term')} that matter most are listed and the last
        row is the sum.
        {sum.evidence !== null && (
          <>
            {' '}
            This run's method, a mixture, decides by the evidence: positive speaks for{' '}
            {plain(nameOf(why.topic), 40)}, negative for {plain(nameOf(why.other), 40)}, whatever the scores
            are.
          </>
        )}
      </p>
      <Table
        name="contributions"
        caption="Contributions of terms to the score"
        columns={columnsOf(why, digits, chosen)}
        rows={rows}
        foot={foot}
        id={(row) => row.key}
        mark={(row) => row.word !== null && row.word === chosen}
      />
    </section>
  )
}

/** Headings hold names, which two topics may share: the keys tell their columns apart. */
function columnsOf(why: Why, digits: number, chosen: string): ColumnOf<Row>[] {
  const named = ({ key, word }: Row) =>
    word ??
    (key === 'sum'
      ? 'sum: the score'
      : why.rest.terms > 0
        ? `all other terms (${count(why.rest.terms)})`
        : 'rounding')
  const show = (row: Row, text: string) => (row.key === 'sum' ? <b>{text}</b> : text)
  const term = (row: Row) =>
    row.word === null ? (
      <b>{named(row)}</b>
    ) : (
      <button
        type="button"
        class="document-term"
        aria-pressed={chosen === row.word}
        onClick={() => setParams({ word: row.word! })}>
        {plain(row.word, 60)}
      </button>
    )
  const columns: ColumnOf<Row>[] = [
    { name: 'term', value: named, show: term },
    {
      name: 'x',
      number: true,
      value: (row) => row.x,
      show: (row) => (row.x === null ? '' : significant(row.x)),
      about: 'how much the document uses the term',
    },
    {
      key: 'mine',
      name: `for ${plain(nameOf(why.topic), 24)}`,
      number: true,
      value: (row) => row.mine,
      show: (row) => show(row, decimal(row.mine, digits)),
      about: 'x·h: what the term adds to the score of its topic',
    },
  ]
  if (why.other >= 0) {
    columns.push({
      key: 'other',
      name: `for ${plain(nameOf(why.other), 24)}`,
      number: true,
      value: (row) => row.others,
      show: (row) => show(row, decimal(row.others, digits)),
      about: 'what it adds to the score of the runner-up',
    })
  }
  if (why.rest.evidence !== null) {
    columns.push({
      name: 'evidence',
      number: true,
      value: (row) => row.evidence,
      show: (row) => (row.evidence === null ? '' : show(row, signed(row.evidence))),
      about: 'positive speaks for its topic, negative for the runner-up',
    })
  }
  return columns
}
