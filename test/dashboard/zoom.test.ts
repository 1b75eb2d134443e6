import { describe, expect, test } from 'bun:test'
import { FITTED, frameOf, moveBy, zoomBy } from '../../src/dashboard/pages/files/preview/zoom.ts'

const stage = { width: 1000, height: 500 }

describe('frameOf()', () => {
  test.each([
    ['a large picture is fitted', { width: 2000, height: 2000 }, false, { width: 500, height: 500 }],
    ['a small picture stays small', { width: 100, height: 50 }, false, { width: 100, height: 50 }],
    ['a drawing fills the stage', { width: 100, height: 50 }, true, { width: 1000, height: 500 }],
  ])('%s', (_, picture, mayGrow, fitted) => {
    expect(frameOf(picture, stage, mayGrow).fitted).toEqual(fitted)
  })
})

describe('zoomBy()', () => {
  const frame = frameOf({ width: 2000, height: 1000 }, stage)

  test('what is under the pointer stays there', () => {
    const at = { x: 100, y: -50 }
    const once = zoomBy(FITTED, 2, at, frame)
    const twice = zoomBy(once, 1.5, at, frame)

    // Point of the picture, relative to its middle at zoom 1.
    const under = ({ zoom, x, y }: typeof once) => [(at.x - x) / zoom, (at.y - y) / zoom]
    expect(under(once)).toEqual([100, -50])
    expect(under(twice)).toEqual([100, -50])
  })

  test('the zoom ends at the whole picture and at eight times its pixels', () => {
    expect(zoomBy(FITTED, 0.1, { x: 0, y: 0 }, frame).zoom).toBe(1)
    expect(zoomBy(FITTED, 1000, { x: 0, y: 0 }, frame).zoom).toBe(16)
  })
})

describe('moveBy()', () => {
  test('a picture moves no further than its edges', () => {
    const frame = frameOf({ width: 1000, height: 250 }, stage)

    expect(moveBy({ ...FITTED, zoom: 3 }, { x: 9000, y: -9000 }, frame)).toEqual({
      zoom: 3,
      x: 1000,
      y: -125,
    })
  })
})
