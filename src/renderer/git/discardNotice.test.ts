import { beforeEach, expect, it, vi } from 'vitest'
import { useNotices } from '../platform/notices.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { reportDiscard } from './discardNotice.ts'
import { testStatus } from './testing/status.ts'

let main: TestMain
beforeEach(() => {
  main = testMain()
  useNotices.setState({ notices: [] })
})

const messages = () => useNotices.getState().notices.map(({ message }) => message)
const press = (label: string) =>
  useNotices
    .getState()
    .notices.at(-1)
    ?.actions.find((action) => action.label === label)
    ?.run()
const undone = () => main.requests.filter(({ method }) => method === 'git.undoDiscard').map(({ params }) => params)

it('undoing a discard can be undone in turn, and once', async () => {
  main.responses['git.undoDiscard'] = () => ({ status: testStatus(), backup: 8, skipped: [] })
  reportDiscard('r', { backup: 7, skipped: [] }, 'a.txt')
  const [first] = useNotices.getState().notices
  press('Undo')
  await vi.waitFor(() => expect(messages().at(-1)).toBe('Restored the changes in a.txt.'))
  press('Undo')
  await vi.waitFor(() => expect(undone()).toMatchObject([{ backup: 7 }, { backup: 8 }]))
  first?.actions[0]?.run()
  await vi.waitFor(() => expect(messages()).toContain('The changes in a.txt are already restored.'))
  expect(undone()).toHaveLength(2)
})

it('a file that has changed since is restored only on request', async () => {
  main.responses['git.undoDiscard'] = (params) =>
    'only' in (params as object)
      ? { status: testStatus(), backup: 9, skipped: [] }
      : { status: testStatus(), backup: null, skipped: [], changed: ['a.txt'] }
  reportDiscard('r', { backup: 7, skipped: [] }, 'a.txt')
  press('Undo')
  await vi.waitFor(() => expect(messages().at(-1)).toBe('a.txt has changed since and was not restored.'))
  press('Restore anyway')
  await vi.waitFor(() => expect(undone().at(-1)).toMatchObject({ backup: 7, only: ['a.txt'] }))
})
