/** Documents that somebody collected over topics: to be read again, sent as a link, and taken along with all their columns. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { counted } from '../format'
import { basketRows, keptWhere, putBasket, rowsIn } from '../keep'
import { href, param } from '../route'
import { wholeHead } from '../store'
import { documentsSheet } from '../take'
import { Documents } from '../ui/Documents'
import { TakeSheet } from '../ui/Table'
import { Empty, Sorry, useAllPoints, Wait } from '../ui/small'

export const hasBasket = (): boolean => basketRows(wholeHead.value?.n ?? 0).length > 0

export function Basket(): JSX.Element {
  const { n } = wholeHead.value!
  const { value: points, error } = useAllPoints()
  const own = basketRows(n)
  const sent = rowsIn(param('rows'), n)
  const text = (sent.length ? sent : own).join('.')
  const rows = useMemo(() => rowsIn(text, n), [text])
  if (error) return <Sorry>{error}</Sorry>
  return (
    <>
      <h1>Basket</h1>
      {!rows.length && (
        <Empty>Nothing yet: “collect” beside a document puts it here, from whatever topic it is.</Empty>
      )}
      {rows.length > 0 && (
        <>
          <p class="lede">
            {sent.length
              ? `${counted(rows.length, 'document')} that somebody sent you`
              : `${counted(rows.length, 'document')}, kept in ${keptWhere()}`}
            .{' '}
            {sent.length > 0 ? (
              <button type="button" onClick={() => putBasket([...new Set([...own, ...sent])])}>
                keep them in my basket
              </button>
            ) : (
              <>
                <a href={href('basket', null, { rows: text })}>a link to them</a>{' '}
                <button type="button" onClick={() => putBasket([])}>
                  empty it
                </button>
              </>
            )}
          </p>
          <div class="heading">
            <span>with topic, all columns and text</span>
            {points && <TakeSheet name="basket" sheet={(tell) => documentsSheet(rows, points, tell)} />}
          </div>
          {points ? (
            <Documents
              name="collected"
              caption="Documents in the basket"
              points={points}
              rows={rows}
              order="row"
            />
          ) : (
            <Wait />
          )}
        </>
      )}
    </>
  )
}
