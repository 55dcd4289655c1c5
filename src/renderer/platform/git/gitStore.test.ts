import { afterEach, beforeEach, expect, it } from 'vitest'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { followGit, runCancellable, useGit } from './gitStore.ts'

let main: TestMain
let stop: () => void
beforeEach(() => {
  main = testMain()
  useGit.setState({ running: [], ended: [] })
})
afterEach(() => stop())
const shown = () => useGit.getState().running.map(({ operation, label }) => `${operation} ${label}`)

it('shows what main still runs after a reload, with its progress, until it ends', async () => {
  main.responses['git.running'] = () => [{ operation: 'o1', repository: '/r', action: 'git.push' }]
  stop = followGit()
  await expect.poll(shown).toEqual(['o1 Pushing'])
  main.emit('git.progress', { operation: 'o1', text: 'Writing objects', percent: 40 })
  expect(useGit.getState().running[0]?.progress?.percent).toBe(40)
  main.emit('git.actionEnded', { operation: 'o1' })
  expect(shown()).toEqual([])
})

it('reads the result of an action that ended after a reload, but not of one that this window waits for', async () => {
  const action = { operation: 'o1', repository: '/r', action: 'git.push' }
  const failure = { code: 'refused', message: 'The push failed.', next: '' }
  main.responses['git.running'] = () => [action]
  stop = followGit()
  await expect.poll(shown).toEqual(['o1 Pushing'])
  main.responses['git.running'] = () => [{ ...action, ended: { failure } }]
  main.emit('git.actionEnded', { operation: 'o1' })
  await expect.poll(() => useGit.getState().ended).toEqual([{ operation: 'o1', label: 'Pushing', failure }])
  expect(shown()).toEqual([])
  const asked = () => main.requests.filter(({ method }) => method === 'git.running').length
  const before = asked()
  await runCancellable({ label: 'Cloning r', repository: null }, async (operation) =>
    main.emit('git.actionEnded', { operation }),
  )
  expect(asked()).toBe(before)
})

it('shows an action of this window once, and none that ends while the list is on its way', async () => {
  const list = Promise.withResolvers<unknown>()
  main.responses['git.running'] = () => list.promise
  stop = followGit()
  const action = Promise.withResolvers<void>()
  let own = ''
  const running = runCancellable({ label: 'Cloning r', repository: null }, (operation) => {
    own = operation
    return action.promise
  })
  main.emit('git.actionEnded', { operation: 'o2' })
  list.resolve([
    { operation: own, repository: null, action: 'git.clone' },
    { operation: 'o2', repository: '/r', action: 'git.push' },
    { operation: 'o3', repository: '/r', action: 'git.fetch' },
  ])
  await expect.poll(shown).toEqual(['o3 Fetching', `${own} Cloning r`])
  action.resolve()
  await running
  expect(shown()).toEqual(['o3 Fetching'])
})
