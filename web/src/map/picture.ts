/** The map to save: as one picture, or as an SVG whose points are a picture and whose names stay text. */
import { asNumbers } from '../colour'
import { xmlText } from '../export'
import { toScreen, type Camera, type Place, type Size } from './camera'
import { LINE_HEIGHT, WEIGHTS } from './layers'
import { cornersOf, type DrawnName, inkOfName } from './Names'

/** What is on the map besides its points. */
interface Scene {
  camera: Camera
  size: Size
  lasso: Place[]
  names: DrawnName[]
  /** Names have the colours of topics. */
  coloured: boolean
}

/** The middle of each line of a name. */
const linesOf = ({ lines, left, top, height, font }: DrawnName): [text: string, x: number, y: number][] =>
  lines.map((text, i) => [text, left, top - height / 2 + (i + 0.5) * font * LINE_HEIGHT])

export function pictureOf(
  points: HTMLCanvasElement,
  { camera, size, lasso, names, coloured }: Scene,
): HTMLCanvasElement | null {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (!context) return null
  canvas.width = 2 * size.width
  canvas.height = 2 * size.height
  const css = (name: string) =>
    `rgb(${asNumbers(`var(${name})`)
      .map((value) => Math.round(255 * value))
      .join(' ')})`
  context.fillStyle = css('--card')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(points, 0, 0, canvas.width, canvas.height)
  context.scale(2, 2)
  if (lasso.length) {
    context.beginPath()
    for (const place of lasso) context.lineTo(...(toScreen(camera, size, place) as [number, number]))
    context.closePath()
    context.strokeStyle = css('--ink')
    context.stroke()
  }
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  for (const name of names) {
    const ink = coloured ? inkOfName(name.topic) : css('--ink')
    context.font = `${WEIGHTS[name.kind]} ${name.font}px ${getComputedStyle(document.body).fontFamily}`
    if (name.line) {
      context.beginPath()
      context.moveTo(name.line[0], name.line[1])
      context.lineTo(name.line[2], name.line[3])
      context.lineWidth = 1
      context.strokeStyle = ink
      context.stroke()
    }
    for (const [text, x, y] of linesOf(name)) {
      context.lineWidth = 4
      context.strokeStyle = css('--card')
      context.strokeText(text, x, y)
      context.fillStyle = ink
      context.fillText(text, x, y)
    }
  }
  return canvas
}

const SVG = 'http://www.w3.org/2000/svg'

/** The same as an SVG: a million points would make no usable file, so they are one image in it. */
export function drawingOf(
  points: HTMLCanvasElement,
  { camera, size, lasso, names, coloured }: Scene,
): string {
  const svg = document.createElementNS(SVG, 'svg')
  const add = (name: string, attributes: Record<string, string | number>, text = '') => {
    const element = document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
    element.textContent = text
    svg.append(element)
  }
  const { width, height } = size
  const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  for (const [key, value] of Object.entries({ xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` }))
    svg.setAttribute(key, String(value))
  add('rect', { width, height, fill: css('--card') })
  add('image', { href: points.toDataURL('image/png'), width, height })
  const corners = cornersOf(lasso.map((place) => toScreen(camera, size, place)))
  if (corners) add('polygon', { points: corners, fill: 'none', stroke: css('--ink') })
  for (const name of names) {
    const ink = coloured ? inkOfName(name.topic) : css('--ink')
    if (name.line) {
      const [x1, y1, x2, y2] = name.line
      add('line', { x1, y1, x2, y2, stroke: ink })
    }
    const look = {
      'font-family': 'sans-serif',
      'font-size': name.font.toFixed(1),
      'font-weight': WEIGHTS[name.kind],
      'text-anchor': 'middle',
      'dominant-baseline': 'middle',
      fill: ink,
      stroke: css('--card'),
      'stroke-width': 4,
      'stroke-linejoin': 'round',
      'paint-order': 'stroke',
    }
    for (const [text, x, y] of linesOf(name)) add('text', { x: x.toFixed(1), y: y.toFixed(1), ...look }, text)
  }
  return xmlText(svg)
}
