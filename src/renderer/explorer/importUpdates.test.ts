import { beforeEach, expect, it } from 'vitest'
import type { OpenedFile } from '../../shared/files/files.ts'
import type { MoveEdits } from '../../shared/language/languageServers.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { textHash } from '../../shared/files/textHash.ts'
import { useApp } from '../platform/appState.ts'
import { outcomeOf } from '../platform/editor/testing/documentsOnDisk.ts'
import { useConfirm } from '../platform/confirm.ts'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { rename } from './transfers.ts'
import { forgetSteps, undoLastStep } from './undoSteps.ts'

let main: TestMain
let disk: Map<string, string>

const edits = (ask: boolean): MoveEdits => ({
  // Both the moved file and its importer change.
  files: ['lib/a.ts', 'b.ts'].map((path) => ({
    path,
    textHash: textHash('old'),
    edits: [{ range: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 4 }, text: 'new' }],
  })),
  unclear: [],
  ask,
})

beforeEach(() => {
  main = testMain()
  disk = new Map([
    ['lib/a.ts', 'old'],
    ['b.ts', 'old'],
  ])
  main.responses['files.list'] = () => []
  main.responses['files.move'] = ({ from, to }) => {
    for (const [path, text] of disk)
      if (path.startsWith(`${from}/`) || path === from) {
        disk.delete(path)
        disk.set(`${to}${path.slice(from.length)}`, text)
      }
  }
  // Only the fields that are read.
  main.responses['files.read'] = ({ path }) => {
    const text = disk.get(path)
    if (text === undefined) throw new Error(`${path} does not exist.`)
    return { path, text, stamp: {}, format: {} } as OpenedFile
  }
  main.responses['files.readBatch'] = ({ paths }) =>
    paths.map((path) =>
      outcomeOf(() => {
        const text = disk.get(path)
        if (text === undefined) throw new Error(`${path} does not exist.`)
        return { path, text, stamp: {}, format: {} }
      }),
    )
  main.responses['files.writeBatch'] = ({ files }) =>
    files.map(({ path, text }) => outcomeOf(() => void disk.set(path, text)))
  main.responses['language.willMove'] = () => edits(true)
  main.responses['settings.set'] = (change) => ({ ...settingsSchema.parse({}), ...change })
  // Only the fields that are read.
  const state = { hostFeatures: {}, settings: settingsSchema.parse({}) } as AppState
  useApp.setState({ state })
  useConfirm.setState({ pending: null })
  clearNotices()
  forgetSteps()
})

const asked = () => useConfirm.getState().pending?.request.title
const texts = () => Object.fromEntries(disk)
const messages = () => useNotices.getState().notices.map(({ message }) => message)

async function renameAndAnswer(answer: string | null): Promise<void> {
  await rename('lib', 'to')
  await expect.poll(asked).toBe('Update imports for to?')
  useConfirm.getState().pending?.answer(answer)
}

it('Yes changes the imports after the move, also in what moved, and one undo restores both', async () => {
  await renameAndAnswer('yes')
  await expect.poll(texts).toEqual({ 'to/a.ts': 'new', 'b.ts': 'new' })
  expect(main.requests.map(({ method }) => method).indexOf('language.willMove')).toBe(0)
  undoLastStep()
  await expect.poll(texts).toEqual({ 'lib/a.ts': 'old', 'b.ts': 'old' })
})

it.each(['never', null])('the answer %s changes only the path', async (answer) => {
  await renameAndAnswer(answer)
  undoLastStep()
  await expect.poll(texts).toEqual({ 'lib/a.ts': 'old', 'b.ts': 'old' })
  expect(main.requests.filter(({ method }) => method === 'files.writeBatch')).toEqual([])
})

it.each(['always', 'never'] as const)('the answer %s becomes the setting', async (answer) => {
  await renameAndAnswer(answer)
  await expect.poll(() => useApp.getState().state?.settings.languageServers.updateImportsOnFileMove).toBe(answer)
})

it('without a question the imports change at once', async () => {
  main.responses['language.willMove'] = () => edits(false)
  await rename('lib', 'to')
  await expect.poll(texts).toEqual({ 'to/a.ts': 'new', 'b.ts': 'new' })
  expect(asked()).toBeUndefined()
})

it('a failing request does not stop the move', async () => {
  main.responses['language.willMove'] = () => {
    throw new Error('The server crashed.')
  }
  await rename('lib', 'to')
  expect(texts()).toEqual({ 'to/a.ts': 'old', 'b.ts': 'old' })
})

it('a move that fails changes no imports', async () => {
  main.responses['language.willMove'] = () => edits(false)
  main.responses['files.move'] = () => {
    throw new Error('The disk is full.')
  }
  await expect(rename('lib', 'to')).rejects.toThrow()
  expect(texts()).toEqual({ 'lib/a.ts': 'old', 'b.ts': 'old' })
})

it('a file that changed before the answer keeps its text, and so do the others', async () => {
  await rename('lib', 'to')
  await expect.poll(asked).toBeDefined()
  disk.set('b.ts', 'typed')
  useConfirm.getState().pending?.answer('yes')
  await expect.poll(() => messages().join()).toContain('The imports could not be updated')
  expect(texts()).toEqual({ 'to/a.ts': 'old', 'b.ts': 'typed' })
})

it('undoing asks if a file has changed since, and then undoes the move alone', async () => {
  await renameAndAnswer('yes')
  await expect.poll(texts).toEqual({ 'to/a.ts': 'new', 'b.ts': 'new' })
  disk.set('b.ts', 'typed')
  undoLastStep()
  await expect.poll(asked).toBe('Undo the move without the imports?')
  useConfirm.getState().pending?.answer(null)
  undoLastStep()
  await expect.poll(asked).toBe('Undo the move without the imports?')
  expect(texts()).toEqual({ 'to/a.ts': 'new', 'b.ts': 'typed' })
  useConfirm.getState().pending?.answer('undo')
  await expect.poll(texts).toEqual({ 'lib/a.ts': 'new', 'b.ts': 'typed' })
})
