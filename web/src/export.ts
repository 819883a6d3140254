/** Take it along: tables as CSV and JSON, charts as SVG and PNG. */
import { plain } from './format'
import { KEPT_BLOCK, kept } from './keep'

export type Cell = string | number | null

/** RFC 4180; a cell that a spreadsheet would take for a formula is made text. */
export function asCsv(columns: string[], rows: Cell[][]): string {
  const cell = (value: Cell): string => {
    if (value === null) return ''
    if (typeof value === 'number') return String(value)
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

export function asRecords(columns: string[], rows: Cell[][]): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null])))
}

export function download(name: string, content: BlobPart, type: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = plain(name, 100).replace(/[^\p{L}\p{N}. _-]+/gu, '-')
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** This page as a file of its own, with what somebody said here in it: its scripts stay as they are, to the letter. */
export function savePage(): void {
  const copy = document.documentElement.cloneNode(true) as HTMLElement
  copy.querySelector('#app')!.innerHTML = ''
  copy.querySelector(`#${KEPT_BLOCK}`)?.remove()
  const block = document.createElement('script')
  block.type = 'application/json'
  block.id = KEPT_BLOCK
  block.textContent = JSON.stringify(kept.value).replaceAll('<', '\\u003c')
  copy.querySelector('#app')!.after(block)
  download(`${document.title.split(' – ')[0]}.html`, `<!doctype html>\n${copy.outerHTML}`, 'text/html')
}

const KEPT = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-linecap',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'font-style',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
  'visibility',
  'display',
]

/** An SVG element as a file of its own: styles are written into it, and the paper is behind it. */
export function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const from = [svg, ...svg.querySelectorAll<SVGElement>('*')]
  const to = [copy, ...copy.querySelectorAll<SVGElement>('*')]
  from.forEach((element, i) => {
    const style = getComputedStyle(element)
    for (const name of KEPT) to[i]!.style.setProperty(name, style.getPropertyValue(name))
    to[i]!.removeAttribute('class')
    to[i]!.removeAttribute('tabindex')
  })
  const { width, height } = svg.getBoundingClientRect()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  paper.setAttribute('width', '100%')
  paper.setAttribute('height', '100%')
  paper.setAttribute('fill', getComputedStyle(document.body).backgroundColor)
  copy.insertBefore(paper, copy.firstChild)
  return xmlText(copy)
}

/** An element as XML. A browser writes letters that no XML may hold (U+FFFE, controls, halves of a pair) as they are. */
export function xmlText(element: Element): string {
  return legalXml(new XMLSerializer().serializeToString(element))
}

export function legalXml(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
}

export async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect()
  const image = new Image(width, height)
  image.src = URL.createObjectURL(new Blob([svgText(svg)], { type: 'image/svg+xml' }))
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = 2 * width
  canvas.height = 2 * height
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
  URL.revokeObjectURL(image.src)
  saveCanvas(canvas, name)
}

export function saveCanvas(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => {
    if (blob) download(`${name}.png`, blob, 'image/png')
  }, 'image/png')
}
