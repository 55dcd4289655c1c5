import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import type { SessionFileDiff, TakenOver } from '../../shared/git/sessionRequests.ts'
import { testMain } from '../testing/testMain.ts'
import { TakeOverDialog } from './TakeOverDialog.tsx'
import { chooseTakeOver } from './takeOverStore.ts'

afterEach(cleanup)

const file = (path: string, revision: string): SessionFileDiff => ({
  path,
  change: 'modified',
  isProtected: false,
  revision,
  hunks: [],
  divisible: false,
  added: 1,
  removed: 0,
  executable: true,
  lineEnds: 'CRLF',
  binary: false,
  link: { target: '/etc', leadsOutside: false },
})

it('stays open while it works, and loads the changes again if they have changed', async () => {
  const main = testMain()
  main.responses['sessions.changes'] = () => ({ files: [file('a.txt', '1'), file('b.txt', '1')], skipped: [] })
  render(<TakeOverDialog />)
  let result: TakenOver | null | undefined
  act(() => void chooseTakeOver({ id: 's', name: 'feature' }).then((taken) => (result = taken)))
  fireEvent.click(await screen.findByRole('checkbox', { name: 'b.txt' }))
  for (const note of ['Executable', 'Line ends: CRLF', 'Link to /etc'])
    expect(screen.getAllByText(note)).toHaveLength(2)
  const reply = Promise.withResolvers<never>()
  main.responses['sessions.takeOver'] = () => reply.promise
  fireEvent.click(screen.getByRole('button', { name: 'Take over 1 file' }))
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true)
  expect(result).toBeUndefined()

  main.responses['sessions.changes'] = () => ({ files: [file('a.txt', '2'), file('b.txt', '1')], skipped: [] })
  main.responses['sessions.conflicts'] = () => {
    throw new ToolError('conflict', 'The session has changed a.txt since it was shown.')
  }
  reply.reject(new ToolError('conflict', 'The session has changed a.txt since it was shown.', 'Look again.'))
  fireEvent.click(await screen.findByRole('button', { name: 'Load again' }))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  const taken: TakenOver = { changed: ['a.txt'], same: [], protectedPaths: [], skipped: [] }
  main.responses['sessions.takeOver'] = () => taken
  fireEvent.click(await screen.findByRole('button', { name: 'Take over 1 file' }))
  await waitFor(() => expect(result).toEqual(taken))
  const selection = [{ path: 'a.txt', revision: '2', hunks: null }]
  expect(main.requests.findLast(({ method }) => method === 'sessions.takeOver')?.params).toEqual({ id: 's', selection })
})

it('a file that cannot be merged is replaced by the version of the session, or left out', async () => {
  const main = testMain()
  main.responses['sessions.changes'] = () => ({ files: [file('a.txt', '1'), file('b.txt', '1')], skipped: [] })
  main.responses['sessions.takeOver'] = () => {
    throw new ToolError('conflict', 'Nothing was taken over.')
  }
  const conflict = (path: string) => ({ path, why: 'It is not a text.', current: 'x', texts: null, replaceable: true })
  main.responses['sessions.conflicts'] = () => [conflict('a.txt'), conflict('b.txt')]
  render(<TakeOverDialog />)
  let result: TakenOver | null | undefined
  act(() => void chooseTakeOver({ id: 's', name: 'feature' }).then((taken) => (result = taken)))
  fireEvent.click(await screen.findByRole('button', { name: 'Take over 2 files' }))
  expect((await screen.findByRole('alert')).textContent).toContain('2 files changed in the session and here')
  fireEvent.click(screen.getAllByRole('button', { name: "Use the session's version" })[0] as HTMLElement)
  fireEvent.click(screen.getAllByRole('button', { name: 'Leave out' })[1] as HTMLElement)
  expect(screen.getByRole('alert').textContent).toContain('All conflicts are resolved.')
  const taken: TakenOver = { changed: ['a.txt'], same: [], protectedPaths: [], skipped: [] }
  main.responses['sessions.takeOver'] = () => taken
  fireEvent.click(screen.getByRole('button', { name: 'Take over 1 file' }))
  await waitFor(() => expect(result).toEqual(taken))
  const selection = [{ path: 'a.txt', revision: '1', hunks: null, resolution: { current: 'x', text: null } }]
  expect(main.requests.findLast(({ method }) => method === 'sessions.takeOver')?.params).toEqual({ id: 's', selection })
})

it('a resolution is forgotten when other changes of the file are chosen', async () => {
  const main = testMain()
  const hunks = [1, 5].map((line) => ({ oldStart: line, newStart: line, section: '', lines: [] }))
  const divisible = { ...file('a.txt', '1'), divisible: true, hunks }
  main.responses['sessions.changes'] = () => ({ files: [divisible], skipped: [] })
  main.responses['sessions.takeOver'] = () => {
    throw new ToolError('conflict', 'Nothing was taken over.')
  }
  const conflict = { path: 'a.txt', why: 'Both changed it.', current: 'x', texts: null, replaceable: true }
  main.responses['sessions.conflicts'] = () => [conflict]
  render(<TakeOverDialog />)
  act(() => void chooseTakeOver({ id: 's', name: 'feature' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Take over 1 file' }))
  fireEvent.click(await screen.findByRole('button', { name: "Use the session's version" }))
  expect(screen.getByRole('alert').textContent).toContain('All conflicts are resolved.')
  fireEvent.click(screen.getByRole('checkbox', { name: 'Change 2 of 2 in a.txt' }))
  expect(screen.queryByRole('alert')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Take over 1 file' }))
  expect((await screen.findByRole('alert')).textContent).toContain('1 file changed in the session and here')
  expect(main.requests.findLast(({ method }) => method === 'sessions.takeOver')?.params).toEqual({
    id: 's',
    selection: [{ path: 'a.txt', revision: '1', hunks: [0] }],
  })
})
