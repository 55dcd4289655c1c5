import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { settingsSchema, type HistorySettings } from '../../shared/settings/settings.ts'
import type { CleanUpSummary, StorageSizes } from '../../shared/files/storage.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { ConfirmDialog } from '../app/ConfirmDialog.tsx'
import { useNotices } from '../platform/notices.ts'
import { SettingFields } from './SettingFields.tsx'
import { StoredData } from './StoredData.tsx'

const sizes: StorageSizes = {
  conversations: { count: 1200, bytes: 34 * 1024 * 1024 },
  checkpoints: { count: 1, bytes: 2048 },
  codeIndex: { count: 3, bytes: 5 * 1024 * 1024 },
  unsaved: { count: 0, bytes: 0 },
}
const plan: CleanUpSummary = {
  conversations: { count: 12, bytes: 3 * 1024 * 1024 },
  checkpoints: 1,
  codeIndex: { count: 0, bytes: 0 },
  sharedFilesKept: false,
}
const off = { maxAgeDays: null, maxMegabytes: null }

let main: TestMain
const asked = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)

beforeEach(() => {
  main = testMain()
  main.responses['storage.sizes'] = () => sizes
  main.responses['storage.planCleanUp'] = () => plan
  main.responses['storage.cleanUp'] = () => plan
  main.responses['settings.set'] = (change) => settingsSchema.parse(change)
  useNotices.setState({ notices: [] })
})
afterEach(cleanup)

const show = (history: HistorySettings) =>
  render(
    <>
      <SettingFields group="history" settings={settingsSchema.parse({ history })} />
      <StoredData history={history} />
      <ConfirmDialog />
    </>,
  )

it('shows the size of each kind of data', async () => {
  show(off)
  await screen.findByRole('table', { name: 'Stored data' })
  expect(screen.getAllByRole('row').map((row) => row.textContent)).toEqual([
    'Conversations1,200 conversations34 MB',
    'Checkpoints1 checkpoint2.0 KB',
    'Code index3 folders5.0 MB',
    'Unsaved backups0 files0 bytes',
  ])
})

it('saves a limit, saves an empty field as no limit, and does not save an invalid one', async () => {
  show({ maxAgeDays: 30, maxMegabytes: null })
  const size = screen.getByLabelText('Maximum size of conversations (MB)')
  for (const text of ['0', '1.5', 'many']) {
    fireEvent.change(size, { target: { value: text } })
    fireEvent.blur(size)
  }
  fireEvent.change(size, { target: { value: '500' } })
  fireEvent.blur(size)
  await waitFor(() => expect(asked('settings.set')).toEqual([{ history: { maxAgeDays: 30, maxMegabytes: 500 } }]))
  const age = screen.getByLabelText('Delete conversations after (days)')
  fireEvent.change(age, { target: { value: '' } })
  fireEvent.blur(age)
  await waitFor(() => expect(asked('settings.set')[1]).toEqual({ history: { maxAgeDays: null, maxMegabytes: null } }))
})

it('cannot clean up without a limit', () => {
  show(off)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Clean up now…' }).disabled).toBe(true)
})

it('lists what a clean-up deletes, and deletes nothing if it is cancelled', async () => {
  show({ maxAgeDays: 30, maxMegabytes: null })
  fireEvent.click(screen.getByRole('button', { name: 'Clean up now…' }))
  await screen.findByText('12 conversations (3.0 MB)')
  screen.getByText('1 checkpoint', { selector: '.confirm-items li' })
  expect(asked('storage.cleanUp')).toEqual([])
  fireEvent.click(screen.getByText('Cancel'))
  await waitFor(() =>
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Clean up now…' }).disabled).toBe(false),
  )
  expect(asked('storage.cleanUp')).toEqual([])
})

it('deletes when it is confirmed, and shows the new sizes', async () => {
  show({ maxAgeDays: 30, maxMegabytes: null })
  await waitFor(() => expect(asked('storage.sizes')).toHaveLength(1))
  fireEvent.click(screen.getByRole('button', { name: 'Clean up now…' }))
  fireEvent.click(await screen.findByText('Delete'))
  await waitFor(() =>
    expect(useNotices.getState().notices.map(({ message }) => message)).toEqual([
      'Deleted 12 conversations (3.0 MB), 1 checkpoint.',
    ]),
  )
  await waitFor(() => expect(asked('storage.sizes')).toHaveLength(2))
})
