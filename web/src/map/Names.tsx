/** Names of topics on the map: the largest first, those that would lie on another are left out until one comes nearer. */
import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { colourOf } from '../colour'
import { plain } from '../format'
import { href } from '../route'
import { nameOf } from '../store'
import { textWidth } from '../text'
import { allTopics } from '../ui/small'
import { toScreen, type Camera, type Size } from './camera'
import { shownLabels, type Label } from './labels'

const LETTERS = 32
const FEW_LETTERS = 22 // on a narrow screen
export const LABEL_FONT = 12.5

/** Labels on the screen, largest topics first. */
export function labelsAt(camera: Camera, size: Size): (Label & { text: string })[] {
  const all = [...allTopics()]
    .sort((a, b) => b.size - a.size)
    .map(({ topic, x, y }) => {
      const [left, top] = toScreen(camera, size, [x, y])
      const text = plain(nameOf(topic), size.width < 500 ? FEW_LETTERS : LETTERS)
      const width = textWidth(text, LABEL_FONT, 600) + 20
      // near an edge it is moved inwards, so that it can be read as a whole
      const inwards =
        left > 0 && left < size.width
          ? Math.max(width / 2 + 2, Math.min(size.width - width / 2 - 2, left))
          : left
      return { topic, text, x: inwards, y: top, width, height: 18 }
    })
  return shownLabels(all, size.width, size.height) as (Label & { text: string })[]
}

/** `swatches`: with the colours of topics, where these are the colours of the points. */
export function Names({
  camera,
  size,
  swatches,
}: {
  camera: Signal<Camera>
  size: Size
  swatches: boolean
}): JSX.Element {
  return (
    <div class="map-names">
      {labelsAt(camera.value, size).map((label) => (
        <a
          key={label.topic}
          href={href('topic', label.topic)}
          draggable={false}
          style={{
            transform: `translate(${Math.round(label.x - label.width / 2)}px, ${Math.round(label.y - label.height / 2)}px)`,
            fontSize: `${LABEL_FONT}px`,
          }}>
          {swatches && (
            <span class="swatch" style={{ background: colourOf(label.topic) }} aria-hidden="true" />
          )}{' '}
          {label.text}
        </a>
      ))}
    </div>
  )
}
