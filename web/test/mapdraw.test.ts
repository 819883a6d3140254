import { afterEach, describe, expect, test, vi } from 'vitest'
import { focused, inkOn } from '../src/colour'
import { classColours, codesOf, paletteOf, rampAt, shownOf } from '../src/map/colours'
import { mixed } from '../src/map/canvas'
import { nextBudget, pointLook, shuffled } from '../src/map/renderer'
import type { Points } from '../src/payload'

describe('how much is drawn', () => {
  test('the order holds every row once, and its beginning is a fair sample', () => {
    const order = shuffled(10_000)
    expect(new Set(order).size).toBe(10_000)
    const early = order.slice(0, 1000).reduce((sum, row) => sum + row, 0) / 1000
    expect(early).toBeGreaterThan(4500)
    expect(early).toBeLessThan(5500)
    expect([...shuffled(50)]).toEqual([...shuffled(50)])
    expect([...shuffled(0)]).toEqual([])
  })
  test('slow frames hold fewer points, quick ones more, within limits', () => {
    expect(nextBudget(200_000, 200_000, 100, 34, 1e6)).toBeLessThan(100_000)
    expect(nextBudget(200_000, 200_000, 10, 34, 1e6)).toBeGreaterThan(200_000)
    expect(nextBudget(40_000, 40_000, 5000, 34, 1e6)).toBe(40_000)
    expect(nextBudget(900_000, 900_000, 10, 34, 1e6)).toBe(1_000_000)
    expect(nextBudget(3000, 3000, 500, 34, 3000)).toBe(3000)
    expect(nextBudget(200_000, 10, 5000, 34, 1e6)).toBe(200_000) // too few to tell
  })
  test('a budget finds what a machine can do', () => {
    let budget = 1_000_000
    for (let i = 0; i < 12; i++) budget = nextBudget(budget, budget, budget / 5000, 34, 1e6) // 5,000 points a millisecond
    expect(budget / 5000).toBeGreaterThan(17)
    expect(budget / 5000).toBeLessThan(40)
  })
  test('many points are small, few are large, and nearer they grow', () => {
    expect(pointLook(1e6, 600).size).toBeLessThan(pointLook(1e3, 600).size)
    expect(pointLook(1e6, 6000).size).toBeGreaterThan(pointLook(1e6, 600).size)
    expect(pointLook(1, 600).alpha).toBeLessThanOrEqual(1)
  })
})

describe('colours', () => {
  const points = {
    x: new Uint16Array(4),
    y: new Uint16Array(4),
    topic: Int16Array.of(-1, 0, 2, 2),
    membership: Uint8Array.of(0, 255, 100, 3),
    confidence: Uint8Array.of(255, 254, 0, 7),
    label: Uint16Array.of(65535, 0, 1, 65535),
  } as unknown as Points
  test('code 0 is for what is not known', () => {
    expect([...codesOf(points, 'topic')]).toEqual([0, 1, 3, 3])
    expect([...codesOf(points, 'class')]).toEqual([0, 1, 2, 0])
    expect([...codesOf(points, 'confidence')]).toEqual([0, 255, 1, 8])
    expect([...codesOf(points, 'membership')]).toEqual([0, 255, 101, 4])
    expect([...codesOf({ ...points, label: null }, 'class')]).toEqual([0, 0, 0, 0])
  })
  test('only the topics asked for are shown; by default all, and documents without a topic', () => {
    const shown = (only: number[]) => [...shownOf(3, only)].filter((_, i) => i % 4 === 0)
    expect(shown([])).toEqual([255, 255, 255, 255, 0]) // the last: what is left out
    expect(shown([1])).toEqual([0, 0, 255, 0, 0])
  })
  describe('a palette', () => {
    const css: Record<string, string> = {
      '--grey': '#808080',
      '--series-0': '#ff0000',
      '--series-1': '#0000ff',
    }
    const colours = (palette: Uint8Array) =>
      Array.from({ length: palette.length / 4 }, (_, i) => [...palette.slice(4 * i, 4 * i + 4)])
    afterEach(() => {
      vi.unstubAllGlobals()
    })
    const made = (...of: Parameters<typeof paletteOf>) => {
      vi.stubGlobal('document', { documentElement: null })
      vi.stubGlobal('getComputedStyle', () => ({ getPropertyValue: (name: string) => css[name] ?? '' }))
      return colours(paletteOf(...of))
    }
    test('what is not known is grey, then come the colours as they are', () => {
      expect(made('class', ['#0000ff', '#00ff00'])).toEqual([
        [128, 128, 128, 255],
        [0, 0, 255, 255],
        [0, 255, 0, 255],
      ])
    })
    test('shares go from one end of the ramp to the other', () => {
      const found = made('membership', [])
      expect(found.length).toBe(256)
      expect(found[0]).toEqual([128, 128, 128, 255])
      expect(found[1]).toEqual([0, 0, 255, 255])
      expect(found[255]).toEqual([255, 0, 0, 255])
    })
    test('there is a colour for every topic and for none', () => {
      expect(made('topic', ['#000000', '#111111', '#222222', '#333333', '#444444']).length).toBe(6)
    })
  })
  test('where some are in focus the others fade, and keep their hue', () => {
    const own = ['#aa3300', '#0033aa']
    expect(focused(own, [], false)).toEqual(own)
    const [first, second] = focused(own, [0], false)
    expect(first).toBe(own[0])
    const [r, , b] = [1, 3, 5].map((at) => parseInt(second!.slice(at, at + 2), 16))
    expect(b).toBeGreaterThan(r!)
    expect(r).toBeGreaterThan(180)
  })
  test('every class has a colour of its own, one without documents too', () => {
    const found = classColours(points, [1, 1, 0], false)
    expect(new Set(found).size).toBe(3)
  })
  test('a ramp goes through its stops', () => {
    const stops: [number, number, number][] = [
      [1, 0, 0],
      [0.5, 0.5, 0.5],
      [0, 0, 1],
    ]
    expect([0, 0.5, 1, 2].map((at) => rampAt(at, stops))).toEqual([stops[0], stops[1], stops[2], stops[2]])
    expect(rampAt(0.25, stops)).toEqual([0.75, 0.25, 0.25])
  })
  test('ink can be read on any colour', () => {
    const light = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    for (let i = 0; i < 1000; i++) {
      const colour = [i % 10, Math.floor(i / 10) % 10, Math.floor(i / 100)].map((each) => each / 9) as [
        number,
        number,
        number,
      ]
      const own = 0.2126 * light(colour[0]) + 0.7152 * light(colour[1]) + 0.0722 * light(colour[2])
      expect(inkOn(colour) === '#000000' ? (own + 0.05) / 0.05 : 1.05 / (own + 0.05)).toBeGreaterThan(4.5)
    }
  })
})

describe('mixing pixels', () => {
  const pixel = (r: number, g: number, b: number, a: number) => ((a << 24) | (b << 16) | (g << 8) | r) >>> 0
  const parts = (value: number) => [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24]
  test('over nothing it is the colour itself, over others it lies between, and it gets denser', () => {
    expect(parts(mixed(0, pixel(200, 100, 50, 255), 128))).toEqual([200, 100, 50, 127])
    const twice = parts(mixed(pixel(200, 100, 50, 127), pixel(0, 100, 250, 255), 128))
    expect(twice[0]).toBe(100)
    expect(twice[1]).toBe(100)
    expect(twice[2]).toBe(150)
    expect(twice[3]).toBeGreaterThan(127)
    let many = 0
    for (let i = 0; i < 50; i++) many = mixed(many, pixel(10, 20, 30, 255), 100)
    expect(parts(many).slice(0, 3)).toEqual([10, 20, 30])
    expect(parts(many)[3]).toBeGreaterThan(245)
    expect(mixed(pixel(1, 2, 3, 4), pixel(9, 9, 9, 255), 0)).toBe(pixel(1, 2, 3, 4))
  })
})
