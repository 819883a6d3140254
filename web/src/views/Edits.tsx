/** What people changed about the run: who, when, what; and what this page keeps by itself, to be taken along. */
import type { JSX } from 'preact'
import { asLines, linesOf } from '../edits'
import { download, savePage } from '../export'
import { counted, plain } from '../format'
import type { Edits } from '../payload'
import { keptWhere } from '../keep'
import { cuts, head, ownCut, saidHere, sourceAt } from '../store'
import { TakeTable, type ColumnOf } from '../ui/Table'

type Entry = Edits['log'][number]
const COLUMNS: ColumnOf<Entry>[] = [
  { name: 'when', value: ({ when }) => when },
  { name: 'who', value: ({ who }) => who },
  { name: 'what', value: ({ text }) => text },
  { name: 'holds', value: ({ holds }) => (holds ? 'yes' : 'no') },
]

/** Names and notes that this page keeps by itself, by cut. */
const keptHere = () =>
  cuts.value
    .map((cut) => {
      return { cut, names: saidHere('names', cut), notes: saidHere('notes', cut) }
    })
    .filter(({ names, notes }) => Object.keys(names).length + Object.keys(notes).length > 0)

export const hasEdits = (): boolean =>
  !!head.value && (head.value.has.rename || !!head.value.edits?.log.length || keptHere().length > 0)

async function take(): Promise<void> {
  const when = new Date().toISOString()
  const lines = await Promise.all(
    keptHere().map(async ({ cut, names, notes }) =>
      linesOf(await sourceAt(cut).head(), names, notes, cut === ownCut.value ? null : cut, when),
    ),
  )
  download('edits.jsonl', asLines(lines.flat()), 'application/jsonl')
}

export function EditsView(): JSX.Element {
  const { edits, has } = head.value!
  const log = edits?.log ?? []
  const own = keptHere().reduce(
    (sum, { names, notes }) => sum + Object.keys(names).length + Object.keys(notes).length,
    0,
  )
  return (
    <>
      <h1>Edits</h1>
      <p class="lede">
        {edits?.version
          ? `${counted(edits.version, 'edit')} in the log of the run`
          : 'The run is as it was made'}
        {has.edit
          ? '. Topics are edited where they are shown, documents moved where they are read; Ctrl+Z takes the last edit back.'
          : '.'}
      </p>
      {own > 0 && !has.rename && (
        <p>
          This page keeps {counted(own, 'name or note', 'names and notes')} of yours in {keptWhere()} and in
          its address.{' '}
          <button type="button" onClick={savePage}>
            save a copy of this page that has them
          </button>{' '}
          <button type="button" onClick={() => void take()}>
            take them along (edits.jsonl)
          </button>{' '}
          What <code>quire edit RUN --import edits.jsonl</code> takes, the run keeps.
        </p>
      )}
      {log.length > 0 && (
        <>
          <div class="heading">
            <h2>The last of them</h2>
            <TakeTable name="edits" columns={COLUMNS} rows={() => log} />
          </div>
          <table class="edits">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
              </tr>
            </thead>
            <tbody>
              {[...log].reverse().map((each, place) => (
                <tr key={`${log.length - place}`}>
                  <td>{plain(each.when.slice(0, 16).replace('T', ' '), 16)}</td>
                  <td>{plain(each.who, 40)}</td>
                  <td class={each.holds || /^(un|re)do$/.test(each.text) ? '' : 'edits-undone'}>
                    {plain(each.text, 200)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </>
  )
}
