/** How wide a text is, and how much of it fits. */

const LETTER = 0.6 // of the size of a font: a letter, on average, where nothing can be measured

let pen: CanvasRenderingContext2D | null | undefined
const known = new Map<string, number>() // widths at a size of one pixel

/** The width in pixels, in the font of the page. */
export function textWidth(text: string, size = 12, weight = 400): number {
  const key = `${weight} ${text}`
  let wide = known.get(key)
  if (wide === undefined) {
    wide = measured(text, weight)
    known.set(key, wide)
  }
  return size * wide
}

function measured(text: string, weight: number): number {
  if (pen === undefined)
    pen = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d')
  if (!pen) return LETTER * text.length
  pen.font = `${weight} 100px ${getComputedStyle(document.body).fontFamily}`
  return pen.measureText(text).width / 100
}

/** The text, cut to what fits into so many pixels; never within a letter. */
export function fitted(text: string, pixels: number, size = 12, weight = 400): string {
  if (textWidth(text, size, weight) <= pixels) return text
  const letters = [...text]
  const cut = (n: number) => `${letters.slice(0, n).join('').trimEnd()}…`
  let [fits, most] = [1, letters.length - 1] // one letter is left even where it has no room
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2)
    if (textWidth(cut(middle), size, weight) <= pixels) fits = middle
    else most = middle - 1
  }
  return cut(fits)
}
