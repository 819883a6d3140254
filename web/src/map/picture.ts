/** The map to save: as one picture, or as an SVG whose points are a picture and whose names stay text. */
import { asNumbers, colourOf } from '../colour'
import { xmlText } from '../export'
import { toScreen, type Camera, type Place, type Size } from './camera'
import { LABEL_FONT, labelsAt } from './Names'

export function pictureOf(
  points: HTMLCanvasElement,
  camera: Camera,
  size: Size,
  lasso: Place[],
  swatches: boolean,
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
  context.font = `600 ${LABEL_FONT}px ${getComputedStyle(document.body).fontFamily}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  for (const { x, y, text, topic } of labelsAt(camera, size)) {
    context.lineWidth = 4
    context.strokeStyle = css('--card')
    context.strokeText(text, x, y)
    context.fillStyle = css('--ink')
    context.fillText(text, x, y)
    if (!swatches) continue
    context.fillStyle = `rgb(${asNumbers(colourOf(topic))
      .map((value) => Math.round(255 * value))
      .join(' ')})`
    context.fillRect(x - context.measureText(text).width / 2 - 12, y - 4, 8, 8)
  }
  return canvas
}

const SVG = 'http://www.w3.org/2000/svg'

/** The same as an SVG: a million points would make no usable file, so they are one image in it. */
export function drawingOf(points: HTMLCanvasElement, camera: Camera, size: Size, lasso: Place[]): string {
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
  const corners = lasso
    .map((place) =>
      toScreen(camera, size, place)
        .map((value) => value.toFixed(1))
        .join(','),
    )
    .join(' ')
  if (corners) add('polygon', { points: corners, fill: 'none', stroke: css('--ink') })
  const font = {
    'font-family': 'sans-serif',
    'font-size': LABEL_FONT,
    'font-weight': 600,
    'text-anchor': 'middle',
    'dominant-baseline': 'middle',
  }
  const halo = {
    fill: css('--ink'),
    stroke: css('--card'),
    'stroke-width': 4,
    'stroke-linejoin': 'round',
    'paint-order': 'stroke',
  }
  for (const { x, y, text } of labelsAt(camera, size))
    add('text', { x: x.toFixed(1), y: y.toFixed(1), ...font, ...halo }, text)
  return xmlText(svg)
}
