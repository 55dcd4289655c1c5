import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const sources = globSync('src/**/*.{ts,tsx,css}', { cwd: root }).filter((path) => !/\.test\.tsx?$/.test(path))

/** Returns the files outside of `homes` that match. */
function elsewhere(pattern: RegExp, homes: readonly string[]): string[] {
  return sources.filter(
    (path) => !homes.some((home) => path.startsWith(home)) && pattern.test(readFileSync(join(root, path), 'utf8')),
  )
}

describe('one diff in the product', () => {
  it('compares lines in one place', () => {
    expect(elsewhere(/from 'diff'/, ['src/shared/diff/lineHunks.ts'])).toEqual([])
  })

  it('has one full view', () => {
    expect(elsewhere(/\bcreateDiffEditor\(/, ['src/renderer/editor/FullDiff.tsx'])).toEqual([])
  })

  it('draws lines of a diff in the excerpt and in the marks of code editors only', () => {
    const homes = ['src/renderer/ui/diff/', 'src/renderer/platform/editor/hunks/']
    expect(elsewhere(/diff-(?:line|text|sign|number)\b|<(?:ins|del)>/, homes)).toEqual([])
  })

  it('colors lines of a diff in one file', () => {
    const others = [
      // Names of the colors.
      'src/renderer/ui/tokens.css',
      'src/renderer/platform/editor/monaco/monacoTheme.ts',
      // Not diffs: an edit of the agent that fades, and a side of a conflict.
      'src/renderer/editor/editor.css',
      'src/renderer/platform/editor/conflict/conflict.css',
    ]
    expect(elsewhere(/--color-(?:added|removed)-soft/, ['src/renderer/ui/diff/diff.css', ...others])).toEqual([])
  })

  it('has one bar of a hunk, and one set of buttons to move between hunks', () => {
    expect(elsewhere(/['" ]hunk-bar['" ]/, ['src/renderer/platform/editor/hunks/'])).toEqual([])
    expect(elsewhere(/label=\W{1,3}(?:Previous|Next) (?:change|hunk|conflict)/, ['src/renderer/ui/diff/'])).toEqual([])
  })
})
