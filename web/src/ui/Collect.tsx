/** A button that puts a document into the basket, or takes it out. */
import type { JSX } from 'preact'
import { basketRows, putBasket } from '../keep'
import { wholeHead } from '../store'

export function Collect({ row, name }: { row: number; name: string }): JSX.Element {
  const rows = basketRows(wholeHead.value!.n)
  const inside = rows.includes(row)
  return (
    <button
      type="button"
      class="collect"
      aria-pressed={inside}
      aria-label={`Collect ${name}`}
      title={inside ? 'in the basket: click to take it out' : 'put it into the basket, to be taken along'}
      onClick={() => putBasket(inside ? rows.filter((each) => each !== row) : [...rows, row])}>
      collect
    </button>
  )
}
