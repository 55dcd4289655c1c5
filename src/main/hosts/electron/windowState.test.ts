import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { offsetFromOthers, fitToDisplays, readWindowState, writeWindowState } from './windowState.ts'

const laptop = { x: 0, y: 24, width: 1440, height: 876 }
const beside = { x: 1440, y: 0, width: 1920, height: 1080 }
const at = (x: number, y: number, width = 1000, height = 700) => ({ bounds: { x, y, width, height }, maximized: false })

describe('a window opens', () => {
  it('in the middle of the main display on the first start, and no larger than it', () => {
    expect(fitToDisplays(null, [laptop])).toEqual({
      bounds: { x: 0, y: 24, width: 1440, height: 876 },
      maximized: false,
    })
    expect(fitToDisplays(null, [beside]).bounds).toEqual({ x: 1680, y: 90, width: 1440, height: 900 })
  })

  it('at its previous position on its previous display', () => {
    expect(fitToDisplays(at(100, 100), [laptop, beside])).toEqual(at(100, 100))
    expect(fitToDisplays(at(1600, 50), [laptop, beside])).toEqual(at(1600, 50))
    expect(fitToDisplays({ ...at(100, 100), maximized: true }, [laptop]).maximized).toBe(true)
  })

  it.each([
    ['its display is missing', at(1600, 50)],
    ['its title bar is above the screen', at(100, -500)],
    ['its title bar is below the screen', at(100, 5000)],
    ['it is almost outside the screen', at(-990, 100)],
  ])('in the middle of the main display when %s', (_why, state) => {
    expect(fitToDisplays(state, [laptop]).bounds).toEqual({ x: 220, y: 112, width: 1000, height: 700 })
  })

  it('smaller if its display has become smaller', () => {
    expect(fitToDisplays(at(0, 24, 3000, 2000), [laptop]).bounds).toMatchObject({ width: 1440, height: 876 })
  })
})

describe('the state file', () => {
  it('is read as written; a missing or invalid one is ignored', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tizona-state-'))
    const file = join(folder, 'window.json')
    expect(await readWindowState(file, undefined)).toBeNull()
    await writeWindowState(file, undefined, at(1, 2))
    expect(await readWindowState(file, undefined)).toEqual(at(1, 2))
    for (const nonsense of [
      '',
      '{',
      '[]',
      '{"bounds":{"x":"1"}}',
      '{"bounds":{"x":1.5,"y":0,"width":1,"height":1},"maximized":false}',
    ]) {
      await writeFile(file, nonsense)
      expect(await readWindowState(file, undefined)).toBeNull()
    }
    await rm(folder, { recursive: true })
  })

  it('keeps the position of each folder, and that of the window that was closed last for others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tizona-state-'))
    const file = join(folder, 'window.json')
    await Promise.all([writeWindowState(file, '/a', at(1, 1)), writeWindowState(file, '/b', at(2, 2))])
    await writeWindowState(file, undefined, at(3, 3))
    expect(await readWindowState(file, '/a')).toEqual(at(1, 1))
    expect(await readWindowState(file, '/b')).toEqual(at(2, 2))
    expect(await readWindowState(file, '/c')).toEqual(at(3, 3))
    // Written by an older version.
    await writeFile(file, JSON.stringify(at(4, 4)))
    expect(await readWindowState(file, '/a')).toEqual(at(4, 4))
    await rm(folder, { recursive: true })
  })
})

it('a new window is not exactly above another one', () => {
  const { bounds } = at(100, 100)
  expect(offsetFromOthers(at(100, 100), [bounds, { ...bounds, x: 132, y: 132 }])).toEqual(at(164, 164))
  expect(offsetFromOthers(at(100, 100), [{ ...bounds, y: 0 }])).toEqual(at(100, 100))
  expect(offsetFromOthers(null, [bounds])).toBeNull()
})
