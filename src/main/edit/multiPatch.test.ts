import { describe, expect, test } from 'vitest'
import { applyPatches } from './multiPatch.ts'

describe('applyPatches', () => {
  test('matches every patch in the original text, not in the result of an earlier patch', () => {
    expect(
      applyPatches('a\nb\n', [
        { oldText: 'a', newText: 'b' },
        { oldText: 'b', newText: 'c' },
      ]).text,
    ).toBe('b\nc\n')
  })

  test('reports stage and lines of each patch, in order', () => {
    const { placements } = applyPatches('a\n  b\n', [
      { oldText: '\tb', newText: '\tc' },
      { oldText: 'a', newText: 'x' },
    ])
    expect(placements.map(({ stage, startLine }) => [stage, startLine])).toEqual([
      ['indentation', 2],
      ['exact', 1],
    ])
  })

  test('adjacent patches do not overlap', () => {
    expect(
      applyPatches('a\nb\n', [
        { oldText: 'b\n', newText: '2\n' },
        { oldText: 'a\n', newText: '1\n' },
      ]).text,
    ).toBe('1\n2\n')
  })

  test('rejects overlapping patches and names both', () => {
    expect(() =>
      applyPatches('a\nb\nc\n', [
        { oldText: 'a\nb', newText: '1' },
        { oldText: 'b\nc', newText: '2' },
      ]),
    ).toThrow(
      expect.objectContaining({
        code: 'overlapping_patches',
        message: expect.stringMatching(/patches\[0\] \(lines 1-2\) and patches\[1\] \(lines 2-3\)/),
      }),
    )
  })

  test('names the failed patch and states that nothing changed', () => {
    expect(() =>
      applyPatches('a\nb\n', [
        { oldText: 'a', newText: 'x' },
        { oldText: 'gone', newText: 'y' },
      ]),
    ).toThrow(
      expect.objectContaining({
        code: 'no_match',
        message: expect.stringMatching(/^patches\[1\] \(the 2nd of 2\) failed, so no patch was applied\./),
      }),
    )
  })

  test('line numbers of each patch refer to the original text', () => {
    const edits = [
      { oldText: 'x', newText: '1\n1\n1', startLine: 1 },
      { oldText: 'x', newText: '2', startLine: 3 },
    ]
    expect(applyPatches('x\na\nx\n', edits).text).toBe('1\n1\n1\na\n2\n')
  })
})
