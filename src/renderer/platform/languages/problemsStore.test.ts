import { expect, it, vi } from 'vitest'
import type { FileProblems, Problem, ProblemSeverity } from '../../../shared/language/languageServers.ts'
import { storeEditorProblems, useLanguages } from './languageStore.ts'
import { followProblems, listProblems, useProblems } from './problemsStore.ts'

const problem = (severity: ProblemSeverity, message: string, startLine = 1): Problem => ({
  range: { startLine, startColumn: 1, endLine: startLine, endColumn: 2 },
  severity,
  message,
  source: 'ts',
  code: '',
  tags: [],
  related: [],
})
const byPath = (...files: FileProblems[]) => Object.fromEntries(files.map((file) => [file.path, file]))

it('lists files with errors first, joins what servers and the editor find, and leaves hints out', () => {
  const { files, counts, more } = listProblems({
    problems: byPath(
      { path: 'a.ts', problems: [problem('warning', 'unused')], more: 0 },
      { path: 'hints.ts', problems: [problem('hint', 'unnecessary')], more: 0 },
      { path: 'z.ts', problems: [problem('error', 'late', 9), problem('info', 'note')], more: 4 },
    ),
    editorProblems: byPath({ path: 'z.ts', problems: [problem('error', 'early', 2)], more: 0 }),
  })
  expect(files.map(({ path, problems }) => [path, ...problems.map(({ message }) => message)])).toEqual([
    ['z.ts', 'early', 'late', 'note'],
    ['a.ts', 'unused'],
  ])
  expect(counts).toEqual({ error: 2, warning: 1, info: 1 })
  expect(more).toBe(4)
})

it('marks files and all folders above them with the worst severity and the number of errors and warnings', () => {
  const { marks } = listProblems({
    problems: byPath(
      { path: 'src/ui/a.ts', problems: [problem('warning', 'w')], more: 0 },
      { path: 'src/b.ts', problems: [problem('error', 'e'), problem('warning', 'w'), problem('info', 'i')], more: 0 },
      { path: 'c.ts', problems: [problem('info', 'i')], more: 0 },
    ),
    editorProblems: {},
  })
  expect(Object.fromEntries(marks)).toEqual({
    'src/ui/a.ts': { severity: 'warning', count: 1 },
    'src/ui': { severity: 'warning', count: 1 },
    'src/b.ts': { severity: 'error', count: 2 },
    src: { severity: 'error', count: 3 },
  })
})

it('problems that the editor no longer finds disappear', async () => {
  const stop = followProblems()
  storeEditorProblems({ path: 'a.json', problems: [problem('error', 'Comma expected')], more: 0 })
  await vi.waitFor(() => expect(useProblems.getState().counts.error).toBe(1))
  storeEditorProblems({ path: 'a.json', problems: [], more: 0 })
  await vi.waitFor(() => expect(useProblems.getState().files).toEqual([]))
  expect(useLanguages.getState().editorProblems).toEqual({})
  stop()
})
