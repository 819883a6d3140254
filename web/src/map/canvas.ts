/**
 * Draws the points where there is no graphics card: small squares mixed straight into the pixels of a picture. For many
 * points this is quicker by far than WebGL that a processor works out.
 */
import type { Painter, PainterView } from './renderer'

/** One colour over another, with an opacity of 0 to 256; where nothing was yet, the colour itself. */
export function mixed(under: number, over: number, alpha: number): number {
  const there = under >>> 24
  const opaque = there + (((255 - there) * alpha) >> 8)
  if (there === 0) return ((opaque << 24) | (over & 0xffffff)) >>> 0
  const part = (shift: number) => {
    const low = (under >>> shift) & 255
    return (low + (((((over >>> shift) & 255) - low) * alpha) >> 8)) << shift
  }
  return ((opaque << 24) | part(16) | part(8) | part(0)) >>> 0
}

export function canvasPainter(
  canvas: HTMLCanvasElement,
  x: Uint16Array,
  y: Uint16Array,
  topics: Uint16Array,
): Painter | null {
  const context = canvas.getContext('2d')
  if (!context) return null
  let codes: Uint16Array = new Uint16Array(x.length)
  let colours = new Uint32Array(1)
  let shown: Uint8Array = new Uint8Array(4)
  let picture = new ImageData(1, 1)
  let pixels = new Uint32Array(picture.data.buffer)
  let view: PainterView = { x: 0.5, y: 0.5, scale: 1, size: 1, alpha: 1, hidden: [0, 0, 0, 0] }
  const packed = (r: number, g: number, b: number, a: number) => ((a << 24) | (b << 16) | (g << 8) | r) >>> 0
  return {
    kind: 'canvas',
    setCodes(values) {
      codes = values
    },
    setColours(palette, visible) {
      colours = Uint32Array.from({ length: palette.length / 4 }, (_, i) =>
        packed(palette[4 * i]!, palette[4 * i + 1]!, palette[4 * i + 2]!, palette[4 * i + 3]!),
      )
      shown = visible
    },
    begin(next) {
      view = next
      if (picture.width !== canvas.width || picture.height !== canvas.height) {
        picture = new ImageData(Math.max(1, canvas.width), Math.max(1, canvas.height))
        pixels = new Uint32Array(picture.data.buffer)
      }
      pixels.fill(0)
    },
    draw(from, to) {
      const { width, height } = picture
      const side = Math.max(1, Math.round(view.size * 0.85))
      const per = view.scale / 65535
      const [left, top] = [
        width / 2 - view.x * view.scale - side / 2,
        height / 2 - view.y * view.scale - side / 2,
      ]
      const hidden = packed(view.hidden[0] * 255, view.hidden[1] * 255, view.hidden[2] * 255, 255)
      const [own, faint] = [Math.round(view.alpha * 256), Math.round(view.hidden[3] * 256)]
      for (let i = from; i < to; i++) {
        const px = Math.round(x[i]! * per + left)
        const py = Math.round(y[i]! * per + top)
        if (px < 0 || py < 0 || px + side > width || py + side > height) continue
        const seen = shown[4 * topics[i]!]! > 0
        const colour = seen ? colours[codes[i]!]! : hidden
        const alpha = seen ? (own * (colour >>> 24)) >> 8 : faint
        for (let row = py; row < py + side; row++) {
          const start = row * width + px
          for (let at = start; at < start + side; at++) pixels[at] = mixed(pixels[at]!, colour, alpha)
        }
      }
      context.putImageData(picture, 0, 0)
    },
    ready: () => true, // it draws at once
    destroy() {
      picture = new ImageData(1, 1)
    },
  }
}
