import { describe, expect, test } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { NextEditParams } from '../../shared/editor/inlineCompletion.ts'
import { changedLines, createNextEdits, type NextEditDeps } from './nextEdits.ts'

const lines = ['function area(width) {', '  return w * 2', '}']
const edits = [{ path: 'a.ts', line: 5, before: ['function area(w) {'], after: ['function area(width) {'] }]
const place = { path: 'a.ts', lines, firstLine: 5, edits }

describe('a predicted edit', () => {
  test('has only the lines that differ', () => {
    expect(changedLines(place, ['function area(width) {', '  return width * 2', '}'])).toEqual({
      line: 6,
      count: 1,
      lines: ['  return width * 2'],
    })
  })

  test('has a neighbor if lines are only added or only removed', () => {
    expect(changedLines(place, [...lines, '', 'area(1)'])).toEqual({ line: 7, count: 1, lines: ['}', '', 'area(1)'] })
    expect(changedLines(place, ['// new', ...lines])).toEqual({ line: 5, count: 1, lines: ['// new', lines[0]] })
    expect(changedLines(place, [lines[0] ?? '', '}'])).toEqual({ line: 5, count: 2, lines: [lines[0]] })
    expect(changedLines(place, lines.slice(1))).toEqual({ line: 5, count: 2, lines: [lines[1]] })
  })

  test('is none if nothing changes, or the latest edit would be undone', () => {
    expect(changedLines(place, lines)).toBeNull()
    expect(changedLines(place, ['function area(w) {', ...lines.slice(1)])).toBeNull()
  })

  test('is none if a model that stopped early would delete the rest', () => {
    const long = Array.from({ length: 21 }, (_, at) => `line ${at}`)
    expect(changedLines({ ...place, lines: long }, long.slice(0, 3))).toBeNull()
  })
})

describe('next edits', () => {
  const params: NextEditParams = {
    id: 'k',
    ...place,
    above: [],
    below: [],
    cursor: { line: 0, character: 3 },
    edits: [...edits, { path: '.env', line: 1, before: ['KEY=a'], after: ['KEY=b'] }],
  }
  function setup(predict: (sent: NextEditParams) => Promise<string[] | null>, change: Partial<NextEditDeps> = {}) {
    const sent: NextEditParams[] = []
    const failures: unknown[] = []
    const settings = settingsSchema.parse({
      completion: { enabled: true, nextEditModel: { endpointId: 'e', model: 'zeta-2.1' } },
    }).completion
    const nextEdits = createNextEdits({
      settings: () => settings,
      isAllowed: (path) => Promise.resolve(path !== '.env'),
      isReadable: (path) => path !== '.env',
      onFailed: (error) => failures.push(error),
      onRecovered: () => undefined,
      predict(_choice, request) {
        sent.push(request)
        return predict(request)
      },
      ...change,
    })
    const suggest = (change: Partial<NextEditParams> = {}) =>
      nextEdits.suggest({ ...params, ...change }, new AbortController().signal)
    return { suggest, sent, failures, settings }
  }

  test('are requested once for a text, without edits of secret files', async () => {
    const { suggest, sent } = setup(() => Promise.resolve(['function area(width) {', '  return width * 2', '}']))
    expect(await suggest()).toMatchObject({ line: 6 })
    expect(await suggest({ id: 'l', cursor: { line: 2, character: 0 } })).toMatchObject({ line: 6 })
    expect(sent).toHaveLength(1)
    expect(sent[0]?.edits.map(({ path }) => path)).toEqual(['a.ts'])
  })

  test('are off without a model, and not predicted in secret files', async () => {
    const { suggest, sent, settings } = setup(() => Promise.resolve(null))
    expect(await suggest({ path: '.env' })).toBeNull()
    settings.nextEditModel = null
    expect(await suggest()).toBeNull()
    expect(sent).toHaveLength(0)
  })

  test('are not cancelled by an older key whose file takes longer to check', async () => {
    const checks: ((allowed: boolean) => void)[] = []
    const { suggest, sent } = setup(() => Promise.resolve(null), {
      isAllowed: () => new Promise((resolve) => checks.push(resolve)),
    })
    const older = suggest({ id: 'older', firstLine: 4 })
    const newer = suggest({ id: 'newer' })
    checks[1]?.(true)
    checks[0]?.(true)
    await Promise.all([older, newer])
    expect(sent.map(({ id }) => id)).toEqual(['newer'])
  })

  test('report a failure once', async () => {
    const { suggest, failures } = setup(() => Promise.reject(new Error('down')))
    await suggest()
    await suggest({ firstLine: 6 })
    expect(failures).toHaveLength(1)
  })
})
