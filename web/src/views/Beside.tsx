/** What the table of a document said of it beside its text: the columns that play no role. */
import type { JSX } from 'preact'
import { plain } from '../format'
import type { Whole } from '../payload'

export function Beside({ document }: { document: Whole }): JSX.Element | null {
  const columns = document.beside ?? []
  if (!columns.length) return null
  return (
    <section>
      <h2>Columns</h2>
      <dl class="beside">
        {columns.map(([name, value]) => (
          <div key={name}>
            <dt>{plain(name, 80)}</dt>
            <dd dir="auto">{plain(value, 200)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** A link to where the document is on the web; what is no such address is no link. */
export function Address({ url }: { url?: string | null | undefined }): JSX.Element | null {
  if (!url || !isAddress(url)) return null
  return (
    <a href={url} target="_blank" rel="noopener noreferrer external">
      {plain(url, 80)}
    </a>
  )
}

export const isAddress = (url: string): boolean => /^https?:\/\/[^\s/]\S*$/i.test(url)
