/** A chart with what belongs to it: a title, a sentence, its twin as a table, and buttons to save it. */
import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { download, saveCanvas, savePng, svgText } from '../export'
import { param, setParams } from '../route'

interface FigureProps {
  /** File name, and its parameter in the address. */
  name: string
  title: string
  /** One sentence that says how to read it. */
  about?: ComponentChildren
  /** The same numbers as a table. */
  twin: () => JSX.Element
  /** Switches that belong to the chart. */
  controls?: ComponentChildren
  /** Draws it as a picture to save, where it is not one SVG; and as the text of an SVG. */
  picture?: () => HTMLCanvasElement | null
  drawing?: () => string | null
  children: ComponentChildren
}

/** The chart is the first SVG (saved as SVG and PNG) or, where there is none, the first canvas (PNG). */
export function Figure({
  name,
  title,
  about,
  twin,
  controls,
  picture,
  drawing,
  children,
}: FigureProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const asTable = param(`${name}.as`) === 'table'
  const svg = () => place.current?.querySelector<SVGSVGElement>('svg') ?? null
  const png = () => {
    const found = picture ? null : svg()
    const canvas = picture ? picture() : place.current?.querySelector('canvas')
    if (found) void savePng(found, name)
    else if (canvas) saveCanvas(canvas, name)
  }
  const saveDrawing = () => {
    const found = drawing ? null : svg()
    const text = drawing ? drawing() : found && svgText(found)
    if (text) download(`${name}.svg`, text, 'image/svg+xml')
  }
  return (
    <figure class="figure" aria-label={title}>
      <figcaption>
        <h2>{title}</h2>
        {about && <p class="about">{about}</p>}
        <div class="controls">
          {controls}
          <span class="take">
            <button
              type="button"
              aria-pressed={asTable}
              onClick={() => setParams({ [`${name}.as`]: asTable ? '' : 'table' })}>
              {asTable ? 'as a chart' : 'as a table'}
            </button>
            {!asTable && (
              <button type="button" onClick={saveDrawing}>
                SVG
              </button>
            )}
            {!asTable && (
              <button type="button" onClick={png}>
                PNG
              </button>
            )}
          </span>
        </div>
      </figcaption>
      {asTable ? (
        twin()
      ) : (
        <div ref={place} class="chart">
          {children}
        </div>
      )}
    </figure>
  )
}
