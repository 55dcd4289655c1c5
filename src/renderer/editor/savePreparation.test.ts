import { describe, expect, it, vi } from 'vitest'
import type { EditorConfig, FormattedText } from '../../shared/files/formatting.ts'
import { settingsSchema, type Settings } from '../../shared/settings/settings.ts'
import { textHash } from '../../shared/files/textHash.ts'
import type { Bridge } from '../platform/bridge/bridge.ts'
import { documentsOnDisk } from '../platform/editor/testing/documentsOnDisk.ts'
import { createSavePreparation, runSourceAction, type SaveReason } from './savePreparation.ts'

interface Answers {
  config?: EditorConfig
  formatted?: (text: string) => Promise<FormattedText | null>
  settings?: Partial<Settings['editor']>
  cursorLines?: number[]
}

async function saved(text: string, answers: Answers, reason: SaveReason = 'explicit') {
  const { documents, buffer, disk } = documentsOnDisk({ 'a.ts': '' })
  await documents.open('a.ts')
  buffer('a.ts').type(text)
  const formatInEditor = vi.fn(async () => true)
  const request = (async (name: string, params: { text: string }) =>
    name === 'files.format'
      ? (answers.formatted?.(params.text) ?? null)
      : (answers.config ?? {})) as unknown as Bridge['request'] // Only these two requests are sent.
  const preparation = createSavePreparation({
    documents,
    request,
    settings: () => ({ ...settingsSchema.parse({}).editor, ...answers.settings }),
    formatInEditor,
    runSourceAction: async (path, kind) => buffer(path).replace(`${buffer(path).text()}// ${kind}\n`),
    cursorLines: () => new Set(answers.cursorLines),
  })
  const problems = await preparation.prepare('a.ts', reason)
  await documents.save('a.ts')
  return { text: disk.get('a.ts')?.text, format: documents.get('a.ts')?.format, problems, formatInEditor, buffer }
}

const toUpper = async (text: string) => ({ text: text.toUpperCase(), formatter: 'Upper' })

it('a file is saved as it is without rules', async () => {
  expect((await saved('a  ', { formatted: toUpper })).text).toBe('a  ')
})

it('.editorconfig overrides the settings, even where it turns a rule off', async () => {
  const settings = { trimTrailingWhitespace: true, insertFinalNewline: true }
  expect((await saved('a  ', { settings })).text).toBe('a\n')
  expect((await saved('a  ', { settings, config: { trimTrailingWhitespace: false } })).text).toBe('a  \n')
  const { format } = await saved('a', { config: { endOfLine: '\r\n', charset: 'utf8bom' } })
  expect(format).toEqual({ eol: '\r\n', encoding: 'utf8bom' })
})

it('the formatter runs before the rules for whitespace, as one undo step each', async () => {
  const answers = { formatted: toUpper, settings: { formatOnSave: true, insertFinalNewline: true } }
  const { text, buffer } = await saved('abc', answers)
  expect(text).toBe('ABC\n')
  buffer('a.ts').undo()
  buffer('a.ts').undo()
  expect(buffer('a.ts').text()).toBe('abc')
})

it('the formatter of the editor is used if the project has none', async () => {
  const { formatInEditor } = await saved('abc', { settings: { formatOnSave: true } })
  expect(formatInEditor).toHaveBeenCalledWith('a.ts')
})

it('a file that cannot be formatted is saved, with one problem', async () => {
  const formatted = () => Promise.reject(new Error('SyntaxError'))
  const { text, problems } = await saved('abc', { formatted, settings: { formatOnSave: true } })
  expect(text).toBe('abc')
  expect(problems).toEqual([{ error: new Error('SyntaxError'), context: 'a.ts was saved without formatting' }])
})

it('a save after a delay does not format, and leaves the line of the cursor alone', async () => {
  const answers = { formatted: toUpper, config: { trimTrailingWhitespace: true }, settings: { formatOnSave: true } }
  expect((await saved('a  \nb  ', { ...answers, cursorLines: [2] }, 'delay')).text).toBe('a\nb  ')
})

it('text that the user types while the formatter runs is kept', async () => {
  const { documents, buffer } = documentsOnDisk({ 'a.ts': 'a' })
  await documents.open('a.ts')
  const request = (async (name: string, params: { text: string }) => {
    if (name !== 'files.format') return {}
    buffer('a.ts').type('typed')
    return { text: `${params.text} formatted`, formatter: 'Late' }
  }) as unknown as Bridge['request'] // Only these two requests are sent.
  const settings = () => ({ ...settingsSchema.parse({}).editor, formatOnSave: true })
  const deps = {
    documents,
    request,
    settings,
    formatInEditor: async () => true,
    runSourceAction: async () => undefined,
    cursorLines: () => new Set<number>(),
  }
  await createSavePreparation(deps).prepare('a.ts', 'explicit')
  expect(buffer('a.ts').text()).toBe('typed')
})

it('formatting says whether a formatter exists, so that the command can say that none does', async () => {
  const format = async (formatted: FormattedText | null, inEditor: boolean) => {
    const { documents } = documentsOnDisk({ 'a.ts': 'a' })
    await documents.open('a.ts')
    return createSavePreparation({
      documents,
      request: (async () => formatted) as unknown as Bridge['request'], // Only `files.format` is sent.
      settings: () => settingsSchema.parse({}).editor,
      formatInEditor: async () => inEditor,
      runSourceAction: async () => undefined,
      cursorLines: () => new Set(),
    }).format('a.ts')
  }
  expect(await format({ text: 'A', formatter: 'Upper' }, false)).toBe(true)
  expect(await format(null, true)).toBe(true)
  expect(await format(null, false)).toBe(false)
})

it('code actions of the settings run before a save, but not while the user may be typing', async () => {
  const settings = { organizeImportsOnSave: true, fixAllOnSave: true }
  expect((await saved('', { settings })).text).toBe('// source.fixAll\n// source.organizeImports\n')
  expect((await saved('a', { settings }, 'delay')).text).toBe('a')
})

it('empty lines at the end are trimmed, except where the user may be typing', async () => {
  const settings = { trimFinalNewlines: true }
  expect((await saved('a\n\n\n\n', { settings })).text).toBe('a\n')
  expect((await saved('a\n\n\n\n', { settings, cursorLines: [4] }, 'delay')).text).toBe('a\n\n\n')
  expect((await saved('a', { settings })).text).toBe('a')
})

it('a file is saved in time while language servers do not respond, and the next one does not wait again', async () => {
  const { documents } = documentsOnDisk({ 'a.ts': 'a', 'b.ts': 'b' })
  await Promise.all(['a.ts', 'b.ts'].map((path) => documents.open(path)))
  const runAction = vi.fn(() => new Promise<void>(() => undefined))
  const preparation = createSavePreparation({
    documents,
    request: (async () => ({})) as unknown as Bridge['request'], // Only `files.editorConfig` is sent.
    settings: () => ({ ...settingsSchema.parse({}).editor, organizeImportsOnSave: true, fixAllOnSave: true }),
    formatInEditor: async () => true,
    runSourceAction: runAction,
    maxActionTime: 10,
    cursorLines: () => new Set(),
  })
  const slow = new AbortController()
  expect(await preparation.prepare('a.ts', 'explicit', slow)).toMatchObject([
    { context: 'a.ts was saved without fixing its problems', error: { code: 'timeout' } },
    { context: 'a.ts was saved without organizing its imports', error: { code: 'timeout' } },
  ])
  expect(await preparation.prepare('b.ts', 'explicit', slow)).toHaveLength(2)
  expect(runAction).toHaveBeenCalledTimes(1)
})

describe('an action of a language server on save', () => {
  const insert = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }
  const changed = (path: string, text: string) => ({
    path,
    textHash: textHash(text),
    edits: [{ range: insert, text: '// ' }],
  })

  async function run(signal: AbortSignal) {
    const { documents, disk, buffer, request } = documentsOnDisk({ 'a.ts': 'a', 'b.ts': 'b' })
    await documents.open('a.ts')
    const answers: Record<string, unknown> = {
      'language.codeActions': { id: 'list', actions: [{ index: 0, disabled: '' }] },
      'language.runCodeAction': [changed('a.ts', 'a'), changed('b.ts', 'b')],
    }
    const withServers = (async (name: 'files.read', params: { path: string }) =>
      answers[name] ?? request(name, params)) as unknown as Bridge['request'] // Answers by name.
    await runSourceAction({ request: withServers, documents }, 'a.ts', 'source.fixAll', signal)
    return [buffer('a.ts').text(), disk.get('b.ts')?.text]
  }

  it('changes only the file that is saved', async () => {
    expect(await run(new AbortController().signal)).toEqual(['// a', 'b'])
  })

  it('changes nothing after its time', async () => {
    expect(await run(AbortSignal.abort())).toEqual(['a', 'b'])
  })
})
