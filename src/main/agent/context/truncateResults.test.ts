import { describe, expect, it } from 'vitest'
import type { ToolItem } from '../../../shared/agent/conversation.ts'
import { truncateNewResults, truncateResults } from './truncateResults.ts'
import { toolCall, editOf, failedCall, readOf } from './testing/items.ts'

const cost = (text: string) => Math.ceil(text.length / 4)
const long = 'word and word again\n'.repeat(200)
const shorten = (results: ToolItem[], excess: number, { stale = [] as string[], recent = [] as string[] } = {}) =>
  truncateResults({ results, stale: new Set(stale), recent: new Set(recent), cost, excess }).map(
    ({ id, keep, stale: marked }) => [id, keep, marked ?? false],
  )

describe('truncating results that were already sent', () => {
  const results = [
    readOf('r1', 'a.ts', long),
    toolCall('g1', 'grep', long),
    readOf('r2', 'a.ts', long),
    readOf('r3', 'b.ts', long),
  ]

  it('removes stale reads, then repeated ones, and leaves a note for each', () => {
    expect(shorten(results, 1, { stale: ['r3'] })).toEqual([['r3', 0, true]])
    expect(shorten(results, 1000, { stale: ['r3'] })).toEqual([
      ['r1', 0, false],
      ['r3', 0, true],
    ])
  })

  it('keeps beginning and end of large old results, and removes none that exists nowhere else', () => {
    const changed = shorten(results, 1_000_000, { recent: ['r3'] })
    expect(changed).toEqual([
      ['r1', 0, false],
      ['g1', 800, false],
      ['r2', 800, false],
      ['r3', 800, false],
    ])
  })

  it('starts with the oldest and stops when enough is gained', () => {
    expect(
      shorten([toolCall('1', 'run', long), toolCall('2', 'run', long), toolCall('3', 'run', long)], 700).map(
        ([id]) => id,
      ),
    ).toEqual(['1'])
  })

  it('never restores a truncated result, and changes nothing if no tokens are freed', () => {
    expect(
      shorten([toolCall('1', 'run', long, { kind: 'text' }, { keep: 0 }), toolCall('2', 'run', 'short')], 1000),
    ).toEqual([])
  })

  it('does not treat a later partial read as a repetition of the whole file', () => {
    const part = toolCall('p', 'read_file_range', 'x', {
      kind: 'file',
      path: 'a.ts',
      startLine: 3,
      endLine: 4,
      totalLines: 9,
      unsaved: false,
    })
    expect(shorten([readOf('r', 'a.ts', 'word '.repeat(100)), part], 1000)).toEqual([])
  })

  it('keeps the error of a failed call', () => {
    expect(shorten([failedCall('f', 'run', `Error (x): no\n${long}`), editOf('e', 'a.ts')], 1000)).toEqual([
      ['f', 800, false],
    ])
  })
})

describe('results that no request has carried yet', () => {
  it('are truncated to one length until they fit, short ones not at all', () => {
    const fitted = truncateNewResults(
      [toolCall('1', 'run', long), toolCall('2', 'run', long.repeat(3)), toolCall('3', 'run', 'short')],
      800,
      cost,
    )
    expect(fitted.map(({ id }) => id)).toEqual(['1', '2'])
    expect(fitted[0]?.keep).toBe(fitted[1]?.keep)
    expect(fitted[0]?.keep).toBeLessThanOrEqual(1600)
  })

  it('stay unchanged when they fit', () => {
    expect(truncateNewResults([toolCall('1', 'run', long)], 2000, cost)).toEqual([])
  })
})
