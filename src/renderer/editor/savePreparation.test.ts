import { describe, expect, it, vi } from 'vitest'
import type { EditorConfig, FormattedText } from '../../shared/files/formatting.ts'
import { ToolError } from '../../shared/errors.ts'
import { settingsSchema, type Settings } from '../../shared/settings/settings.ts'
import { textHash } from '../../shared/files/textHash.ts'
import type { Bridge } from '../platform/bridge/bridge.ts'
import { documentsOnDisk } from '../platform/editor/testing/documentsOnDisk.ts'
import { createSavePreparation, runSourceActions, type SaveReason } from './savePreparation.ts'

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
      : name === 'language.format'
        ? null
        : (answers.config ?? {})) as unknown as Bridge['request'] // Only these requests are sent.
  const preparation = createSavePreparation({
    documents,
    request,
    settings: () => ({ ...settingsSchema.parse({}).editor, ...answers.settings }),
    indentation,
    formatInEditor,
    runSourceActions: async (path, kind) => buffer(path).replace(`${buffer(path).text()}// ${kind}\n`),
    cursorLines: () => new Set(answers.cursorLines),
  })
  const problems = await preparation.prepare('a.ts', reason)
  await documents.save('a.ts')
  return { text: disk.get('a.ts')?.text, format: documents.get('a.ts')?.format, problems, formatInEditor, buffer }
}

const indentation = async () => ({ tabSize: 2, spaces: true })

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
    indentation,
    formatInEditor: async () => true,
    runSourceActions: async () => undefined,
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
      request: (async (name: string) => (name === 'files.format' ? formatted : null)) as unknown as Bridge['request'], // And `language.format`.
      settings: () => settingsSchema.parse({}).editor,
      indentation,
      formatInEditor: async () => inEditor,
      runSourceActions: async () => undefined,
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
    indentation,
    formatInEditor: async () => true,
    runSourceActions: runAction,
    maxServerTime: 10,
    cursorLines: () => new Set(),
  })
  const slow = new AbortController()
  expect(await preparation.prepare('a.ts', 'explicit', slow)).toMatchObject([
    { context: 'a.ts was saved without fixing its problems', error: { code: 'timeout' } },
  ])
  expect(await preparation.prepare('b.ts', 'explicit', slow)).toHaveLength(1)
  expect(runAction).toHaveBeenCalledTimes(1)
})

describe('a language server that formats', () => {
  const edit = { range: { startLine: 1, startColumn: 2, endLine: 1, endColumn: 2 }, text: ' = 1' }

  async function formatted(answer: () => Promise<unknown>, settings?: Partial<Settings['editor']>) {
    const { documents, buffer } = documentsOnDisk({ 'a.ts': 'a' })
    await documents.open('a.ts')
    const formatInEditor = vi.fn(async () => true)
    const preparation = createSavePreparation({
      documents,
      request: (async (name: string) =>
        name === 'language.format' ? answer() : name === 'files.format' ? null : {}) as unknown as Bridge['request'],
      settings: () => ({ ...settingsSchema.parse({}).editor, ...settings }),
      indentation,
      formatInEditor,
      runSourceActions: async () => undefined,
      maxServerTime: 10,
      cursorLines: () => new Set(),
    })
    const result = settings ? await preparation.prepare('a.ts', 'explicit') : await preparation.format('a.ts')
    return { result, text: () => buffer('a.ts').text(), formatInEditor }
  }

  it('is asked before the formatters of the editor', async () => {
    const { result, text, formatInEditor } = await formatted(async () => [edit])
    expect([result, text()]).toEqual([true, 'a = 1'])
    expect(formatInEditor).not.toHaveBeenCalled()
  })

  it('fails a command with its error', async () => {
    await expect(formatted(() => Promise.reject(new ToolError('server_error', 'Broken.')))).rejects.toThrow('Broken.')
  })

  it('does not disturb a save with an error, and does not change the text after its time', async () => {
    const onSave = { formatOnSave: true }
    const refused = await formatted(() => Promise.reject(new ToolError('server_error', 'Broken.')), onSave)
    expect(refused.result).toEqual([])
    const late = Promise.withResolvers<unknown>()
    const slow = await formatted(() => late.promise, onSave)
    expect(slow.result).toMatchObject([{ context: 'a.ts was saved without formatting', error: { code: 'timeout' } }])
    late.resolve([edit])
    await new Promise(setImmediate)
    expect(slow.text()).toBe('a')
  })
})

describe('actions of language servers for a whole file', () => {
  const insert = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }

  /** Each action puts its title before the text of its file, in `a.ts` and another file. */
  async function run(titles: readonly string[] | null, signal?: AbortSignal) {
    const { documents, disk, buffer, request } = documentsOnDisk({ 'a.ts': 'a', 'b.ts': 'b' })
    await documents.open('a.ts')
    const actions = titles?.map((title, index) => ({ index, title, kind: 'source.fixAll', disabled: '' }))
    const edited = (path: string, text: string, title: string) => ({
      path,
      textHash: textHash(text),
      edits: [{ range: insert, text: title }],
    })
    const withServers = (async (name: 'files.read', params: { path: string; index: number }) => {
      if (`${name}` === 'language.codeActions') return actions ? { id: 'list', actions } : null
      if (`${name}` !== 'language.runCodeAction') return request(name, params)
      const title = titles?.[params.index] ?? ''
      return [edited('a.ts', buffer('a.ts').text(), title), edited('b.ts', 'b', title)]
    }) as unknown as Bridge['request'] // Answers by name.
    const applied = await runSourceActions({ request: withServers, documents }, 'a.ts', 'source.fixAll', signal)
    return { applied, text: buffer('a.ts').text(), other: disk.get('b.ts')?.text }
  }

  it('all change the file, each after the one before, and no other file', async () => {
    expect(await run(['1', '2'])).toEqual({ applied: 2, text: '21a', other: 'b' })
  })

  it('say whether there is a server, and whether it had something to do', async () => {
    expect((await run(null)).applied).toBeNull()
    expect((await run([])).applied).toBe(0)
  })

  it('change nothing after their time', async () => {
    expect(await run(['1'], AbortSignal.abort())).toEqual({ applied: 0, text: 'a', other: 'b' })
  })
})
