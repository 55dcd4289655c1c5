import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { EditedText } from '../code/process/indexEngine.ts'
import type { Problem } from '../../shared/language/languageServers.ts'
import type { SyntaxProblem } from '../../shared/tools/tool.ts'
import type { WriteOutcome } from '../workspace/documents.ts'
import { createDocuments } from '../workspace/documents.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createLateErrors, recordWrites, withDiagnostics, withServerErrors } from './writeDiagnostics.ts'
import { fakeEditor, temporaryFolder } from './testing/toolContext.ts'

// Tests how syntax errors are reported. code/index/syntaxErrors.test.ts tests how they are found.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({ 'a.ts': 'one\n' })
})
afterEach(() => folder.remove())

const signal = new AbortController().signal
const write: WriteOutcome = { path: 'a.ts', created: false, before: 'one\n', after: 'two\n', unsaved: false }
const problem = (line: number) => ({ path: 'a.ts', line, message: '")" is missing' })
const finding = (...lines: number[]) => ({ newSyntaxErrors: () => Promise.resolve(lines.map(problem)) })
const diff = { kind: 'diff' as const, files: [] }

it('compares the text before the first write with the text after the last one, for every kind of write', async () => {
  const { documents, writes } = recordWrites(
    createDocuments(await openWorkspace(folder.root), Object.assign(fakeEditor(), { attached: false })),
  )
  await documents.edit(await documents.read('a.ts'), 'two\n')
  await documents.write('a.ts', 'three\n')
  await documents.write('b.ts', 'new\n')
  const asked: EditedText[] = []
  await withDiagnostics(
    { text: 'ok' },
    writes,
    { newSyntaxErrors: (edits) => Promise.resolve(void asked.push(...edits)).then(() => []) },
    signal,
  )
  expect(asked).toEqual([
    { path: 'a.ts', before: 'one\n', after: 'three\n' },
    { path: 'b.ts', before: null, after: 'new\n' },
  ])
})

it('adds errors below a text, inside JSON, and to the view', async () => {
  const shown = await withDiagnostics({ text: 'Written.', view: diff }, [write], finding(1, 2, 3, 4, 5, 6), signal)
  expect(shown.text).toBe(
    `Written.\n\n[This edit caused syntax errors:\n${[1, 2, 3, 4, 5].map((line) => `a.ts:${line}: ")" is missing`).join('\n')}\nand 1 more\nRead these lines and fix them.]`,
  )
  expect(shown.view).toMatchObject({ kind: 'diff', problems: [1, 2, 3, 4, 5, 6].map(problem) })
  const json = await withDiagnostics({ text: '{"ok": true}', format: 'json' }, [write], finding(1), signal)
  expect(JSON.parse(json.text)).toEqual({ ok: true, syntax_errors: ['a.ts:1: ")" is missing'] })
})

it('adds nothing to a result without edits or errors', async () => {
  const output = { text: 'ok', view: diff }
  expect(await withDiagnostics(output, [], finding(1), signal)).toBe(output)
  expect(await withDiagnostics(output, [write], finding(), signal)).toBe(output)
})

it('returns the result of the edit unchanged if the check is too slow, fails or is cancelled', async () => {
  const output = { text: 'ok' }
  const never = {
    newSyntaxErrors: (_: unknown, given: AbortSignal) =>
      new Promise<never>((_, reject) => given.addEventListener('abort', () => reject(given.reason))),
  }
  expect(await withDiagnostics(output, [write], never, signal, 1)).toBe(output)
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(
    await withDiagnostics(
      output,
      [write],
      { newSyntaxErrors: () => Promise.reject(new Error('The code index stopped.')) },
      signal,
    ),
  ).toBe(output)
  expect(log).toHaveBeenCalledOnce()
  log.mockRestore()
  const stopped = new AbortController()
  const waiting = withDiagnostics(output, [write], never, stopped.signal)
  stopped.abort()
  expect(await waiting).toBe(output)
})

it('errors of a slow language server do not delay the edit and are in the next result of the conversation, once', async () => {
  const late = createLateErrors()
  const range = { startLine: 7, startColumn: 1, endLine: 7, endColumn: 2 }
  const error: Problem = { range, severity: 'error', message: 'no x', source: '', code: '', tags: [], related: [] }
  const { promise, resolve } = Promise.withResolvers<Problem[]>()
  let current: Problem[] | undefined = [error]
  const errors = { known: () => current, introduced: () => promise }
  const edited = { text: 'Changed.' }
  const found = Promise.withResolvers<void>()
  const options = {
    limit: 1,
    onLate(problems: SyntaxProblem[]) {
      late.add('c', problems)
      found.resolve()
    },
  }
  const recorded = { writes: [write], known: new Map() }
  expect(await withServerErrors(edited, recorded, errors, signal, options)).toBe(edited)
  expect(late.addTo(edited, 'c', errors.known)).toBe(edited)
  resolve([{ ...error, range: { ...range, startLine: 3 } }])
  await found.promise
  const next = { text: 'Read.' }
  expect(late.addTo(next, 'other', errors.known)).toBe(next)
  expect(late.addTo(next, 'c', errors.known).text).toBe(
    'Read.\n\n[An earlier edit caused errors:\na.ts:7: no x\nRead these lines and fix them.]',
  )
  expect(late.addTo(next, 'c', errors.known)).toBe(next)

  late.add('c', [{ path: 'a.ts', line: 3, message: 'no x' }])
  current = []
  expect(late.addTo(next, 'c', errors.known), 'fixed in the meantime').toBe(next)
})
