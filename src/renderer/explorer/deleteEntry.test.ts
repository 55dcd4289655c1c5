import { beforeEach, expect, it } from 'vitest'
import type { FileEntry } from '../../shared/files/files.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { revealLabel, trashName } from '../platform/platformLabels.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { useApp } from '../platform/appState.ts'
import { useConfirm } from '../platform/confirm.ts'
import { revealItems } from '../platform/files/fileManager.ts'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { deleteEntry } from './deleteEntry.ts'
import { forgetSteps, undoLastStep } from './undoSteps.ts'

const entry: FileEntry = { name: 'a.txt', path: 'a.txt', type: 'file', directory: false, ignored: false }
let main: TestMain

function host(trash: boolean): void {
  // Only the fields that are read.
  useApp.setState({ state: { platform: 'linux', hostFeatures: { trash, revealFile: trash } } as AppState })
}

beforeEach(() => {
  main = testMain()
  main.responses['files.list'] = () => []
  main.responses['files.trash'] = () => ({ trashed: true, kept: { id: '7' } })
  useConfirm.setState({ pending: null })
  clearNotices()
  forgetSteps()
  host(true)
})

const methods = () => main.requests.map(({ method }) => method).filter((method) => method !== 'files.list')
const question = () => expect.poll(() => useConfirm.getState().pending?.request.title)
const answer = (choice: string | null) => useConfirm.getState().pending?.answer(choice)

it('Delete moves to the trash without a confirmation and shows a notice', async () => {
  await deleteEntry(entry)
  expect(methods()).toEqual(['files.trash'])
  expect(useNotices.getState().notices.at(-1)?.message).toBe('Moved a.txt to the trash.')
})

it('permanent deletion requires confirmation, and Cancel keeps the file', async () => {
  const done = deleteEntry(entry, { permanently: true })
  await question().toBe('Delete a.txt permanently?')
  answer(null)
  await done
  expect(methods()).toEqual([])
})

it('a failed move to the trash shows the reason and offers permanent deletion', async () => {
  main.responses['files.trash'] = () => ({ trashed: false, reason: 'The disk has no trash.' })
  const done = deleteEntry(entry)
  await question().toBe('Delete a.txt permanently?')
  expect(useConfirm.getState().pending?.request.message).toBe(
    'It could not be moved to the trash: The disk has no trash. Deleting it permanently cannot be undone.',
  )
  expect(methods()).toEqual(['files.trash'])
  answer('delete')
  await done
  expect(methods()).toEqual(['files.trash', 'files.delete'])
})

it('a host without a trash deletes after a confirmation', async () => {
  host(false)
  const done = deleteEntry(entry)
  await question().toBe('Delete a.txt?')
  answer('delete')
  await done
  expect(main.requests[0]).toMatchObject({ method: 'files.delete', params: { path: 'a.txt', keep: true } })
  expect(revealItems('a.txt')).toEqual([])
})

it('Ctrl+Z after Delete restores the entry', async () => {
  main.responses['files.restoreDeleted'] = () => 'a.txt'
  await deleteEntry(entry)
  expect(
    useNotices
      .getState()
      .notices.at(-1)
      ?.actions.map(({ label }) => label),
  ).toEqual(['Undo'])
  undoLastStep()
  await expect.poll(methods).toEqual(['files.trash', 'files.restoreDeleted'])
  undoLastStep()
  expect(methods()).toHaveLength(2)
})

it('Ctrl+Z says why a permanent deletion is not restored, and undoes nothing before it', async () => {
  main.responses['files.delete'] = () => null
  await deleteEntry(entry)
  const done = deleteEntry(entry, { permanently: true })
  await question().toBe('Delete a.txt permanently?')
  answer('delete')
  await done
  undoLastStep()
  await expect
    .poll(() => useNotices.getState().notices.at(-1))
    .toMatchObject({ message: 'a.txt could not be restored.', detail: 'a.txt: It was deleted permanently.' })
  expect(methods()).toEqual(['files.trash', 'files.delete'])
})

it('an entry that exists again is restored after it was moved away', async () => {
  let exists = true
  main.responses['files.restoreDeleted'] = () => {
    if (exists) throw new Error('"a.txt" exists again.')
    return 'a.txt'
  }
  await deleteEntry(entry)
  undoLastStep()
  await expect.poll(() => useNotices.getState().notices.at(-1)?.message).toBe('a.txt could not be restored.')
  exists = false
  undoLastStep()
  await expect.poll(methods).toEqual(['files.trash', 'files.restoreDeleted', 'files.restoreDeleted'])
})

it('the trash has the name of each platform', () => {
  expect(['darwin', 'win32', 'linux'].map(revealLabel)).toEqual([
    'Reveal in Finder',
    'Reveal in File Explorer',
    'Open containing folder',
  ])
  expect(['darwin', 'win32', 'linux'].map(trashName)).toEqual(['Trash', 'Recycle Bin', 'trash'])
})
