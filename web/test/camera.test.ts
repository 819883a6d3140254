import { describe, expect, test } from 'vitest'
import {
  NEAREST,
  WHOLE,
  formatCamera,
  panBy,
  parseCamera,
  pinch,
  toScreen,
  toWorld,
  zoomAt,
  type Camera,
  type Place,
} from '../src/map/camera'
import { cameraAfter } from '../src/map/gestures'

const size = { width: 900, height: 500 }
const cameras: Camera[] = [WHOLE, { x: 0.2, y: 0.7, zoom: 5 }, { x: 0.9, y: 0.1, zoom: 120 }]
const close = (a: Place, b: Place) => {
  expect(a[0]).toBeCloseTo(b[0], 6)
  expect(a[1]).toBeCloseTo(b[1], 6)
}

describe('camera', () => {
  test('the screen and the world, there and back', () => {
    for (const camera of cameras)
      for (const place of [
        [0, 0],
        [450, 250],
        [899, 20],
      ] as Place[])
        close(toScreen(camera, size, toWorld(camera, size, place)), place)
    close(toScreen(WHOLE, size, [0.5, 0.5]), [450, 250])
  })
  test('the whole has paper around it, so that no point on an edge is cut', () => {
    for (const corner of [
      [0, 0],
      [1, 1],
    ] as Place[]) {
      const [, y] = toScreen(WHOLE, size, corner)
      expect(Math.min(y, size.height - y)).toBeGreaterThan(9) // the size of the largest point
    }
  })
  test('zooming keeps what lies under the pointer', () => {
    for (const camera of cameras) {
      const place: Place = [470, 230]
      for (const factor of [1.3, 0.9]) {
        const next = zoomAt(camera, size, place, factor)
        expect(next.zoom).toBeCloseTo(camera.zoom * factor, 9)
        close(toWorld(next, size, place), toWorld(camera, size, place))
      }
    }
  })
  test('it does not go nearer than the nearest, and stays where it is there', () => {
    const near: Camera = { x: 0.4, y: 0.4, zoom: NEAREST }
    const next = zoomAt(near, size, [100, 100], 4)
    expect(next.zoom).toBe(NEAREST)
    close([next.x, next.y], [0.4, 0.4])
  })
  test('panning moves by pixels, and never out of the square', () => {
    const camera = cameras[1]!
    const [x, y] = toScreen(camera, size, [0.21, 0.71])
    close(toScreen(panBy(camera, size, 30, -12), size, [0.21, 0.71]), [x + 30, y - 12])
    expect(panBy(camera, size, 1e6, 0).x).toBe(0)
  })
  test('two fingers keep what is between them', () => {
    const camera = cameras[1]!
    const next = pinch(
      camera,
      size,
      [
        [400, 200],
        [500, 300],
      ],
      [
        [380, 190],
        [560, 370],
      ],
    )
    close(toWorld(next, size, [470, 280]), toWorld(camera, size, [450, 250]))
    expect(next.zoom).toBeCloseTo(camera.zoom * 1.8, 9)
  })
  test('keys move it, and back', () => {
    const camera = cameras[1]!
    for (const [there, back] of [
      ['ArrowLeft', 'ArrowRight'],
      ['ArrowUp', 'ArrowDown'],
      ['+', '-'],
    ] as const) {
      const moved = cameraAfter(there, camera, size)!
      expect(moved).not.toEqual(camera)
      const again = cameraAfter(back, moved, size)!
      for (const key of ['x', 'y', 'zoom'] as const) expect(again[key]).toBeCloseTo(camera[key], 9)
    }
    expect(cameraAfter('0', camera, size)).toEqual(WHOLE)
    expect(cameraAfter('x', camera, size)).toBeNull()
  })
  test('in the address', () => {
    expect(formatCamera(WHOLE)).toBe('')
    for (const camera of cameras) expect(parseCamera(formatCamera(camera))).toEqual(camera)
    for (const bad of ['', 'x', '1,2', 'NaN,0,1', '1,1,1,1', '0.5,0.5,-1', '0.5,0.5,Infinity'])
      expect(parseCamera(bad)).toEqual(WHOLE)
  })
})
