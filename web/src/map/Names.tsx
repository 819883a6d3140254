/** Names on the map, as links to their topics, with lines to what stands aside. */
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { colourOf, inkAndPaper } from '../colour'
import { between } from '../palette'
import { href } from '../route'
import { toScreen, type Camera, type Place, type Size } from './camera'
import { LINE_HEIGHT, WEIGHTS } from './layers'
import { lineTo, type PlacedName } from './names'

/** A name on the screen: the middle of its box, and the line to what it names where it stands aside. */
export interface DrawnName extends PlacedName {
  left: number
  top: number
  line: readonly [number, number, number, number] | null
}

/** Those that are seen, wholly or in part. */
export function drawnNames(names: PlacedName[], camera: Camera, size: Size): DrawnName[] {
  return names.flatMap((name) => {
    const [left, top] = toScreen(camera, size, name.at)
    const [x, y] = toScreen(camera, size, [name.x, name.y])
    const box = {
      left: left - name.width / 2,
      right: left + name.width / 2,
      top: top - name.height / 2,
      bottom: top + name.height / 2,
    }
    const seen = box.right > 0 && box.left < size.width && box.bottom > 0 && box.top < size.height
    return seen ? [{ ...name, left, top, line: name.aside ? lineTo(box, x, y) : null }] : []
  })
}

/** The colour of a name: its topic's, made darker on light paper and lighter on dark, so that it can be read. */
export function inkOfName(topic: number): string {
  const colour = colourOf(topic)
  return colour.startsWith('#') ? between([colour, inkAndPaper()[0]], [0.45, 0.55]) : inkAndPaper()[0]
}

export function Names({
  names,
  camera,
  size,
  coloured,
}: {
  names: PlacedName[]
  camera: Signal<Camera>
  size: Size
  /** In the colours of topics, where these are the colours of the points. */
  coloured: boolean
}): JSX.Element {
  const drawn = drawnNames(names, camera.value, size)
  return (
    <>
      <svg class="map-lines" width={size.width} height={size.height} aria-hidden="true">
        {drawn.map(
          ({ key, line, topic }) =>
            line && (
              <g key={key} style={{ color: coloured ? inkOfName(topic) : 'var(--soft)' }}>
                <line x1={line[0]} y1={line[1]} x2={line[2]} y2={line[3]} />
                <circle cx={line[0]} cy={line[1]} r={2} />
              </g>
            ),
        )}
      </svg>
      <div class="map-names">
        {drawn.map((name) => (
          <a
            key={name.key}
            class={name.kind}
            href={href('topic', name.topic)}
            draggable={false}
            style={{
              transform: `translate(${Math.round(name.left - name.width / 2)}px, ${Math.round(name.top - name.height / 2)}px)`,
              width: `${Math.ceil(name.width) + 1}px`,
              fontSize: `${name.font.toFixed(1)}px`,
              lineHeight: LINE_HEIGHT,
              fontWeight: WEIGHTS[name.kind],
              color: coloured ? inkOfName(name.topic) : 'var(--ink)',
            }}>
            {name.lines.map((line, i) => (
              <span key={i}>{line} </span>
            ))}
          </a>
        ))}
      </div>
    </>
  )
}

/** A place as SVG writes it. */
export const cornersOf = (places: Place[]): string =>
  places.map((place) => place.map((value) => value.toFixed(1)).join(',')).join(' ')
