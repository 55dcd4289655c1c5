import { describe, expect, it, onTestFinished } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { testMain } from '../testing/testMain.ts'
import { copyName } from './copyName.ts'
import { nameProblem, registerExplorer } from './explorerActions.ts'
import { undoLastStep } from './undoSteps.ts'
import { moveInto } from './transfers.ts'

describe('names typed in the explorer', () => {
  it.each(['a.txt', 'new/folder/a.txt', '.env', ' spaced '])('%j can be used', (name) =>
    expect(nameProblem(name)).toBeNull(),
  )

  it.each(['', '  ', '/etc/passwd', 'a/', 'a//b', '../b', 'a/../b', '.', 'a\0b'])('%j cannot', (name) =>
    expect(nameProblem(name)).toMatch(/name/i),
  )

  it('of copies are not in use', () => {
    expect(copyName('a.txt', new Set(['a.txt']))).toBe('a copy.txt')
    expect(copyName('a.txt', new Set(['a copy.txt', 'a copy 2.txt']))).toBe('a copy 3.txt')
    expect(copyName('.env', new Set())).toBe('.env copy')
  })
})

it('Ctrl+Z while a move is still running undoes that move, not the one before it', async () => {
  const main = testMain()
  main.responses['files.list'] = () => []
  const slow = Promise.withResolvers<void>()
  main.responses['files.move'] = async ({ to }) => {
    if (to === 'docs/b.txt') await slow.promise
  }
  const moves = () => main.requests.flatMap(({ method, params }) => (method === 'files.move' ? [params] : []))
  await moveInto(['a.txt'], 'docs')
  const moving = moveInto(['b.txt'], 'docs')
  undoLastStep()
  undoLastStep()
  slow.resolve()
  await moving
  await expect.poll(moves).toEqual([
    { from: 'a.txt', to: 'docs/a.txt' },
    { from: 'b.txt', to: 'docs/b.txt' },
    { from: 'docs/b.txt', to: 'b.txt' },
    { from: 'docs/a.txt', to: 'a.txt' },
  ])
})

it('a new branch of the folder keeps what Ctrl+Z undoes; another folder does not', async () => {
  const main = testMain()
  main.responses['files.list'] = () => []
  const show = (root: string, branch: string) =>
    // The explorer reads only the folder and the settings.
    useApp.setState({
      state: { workspace: { root, name: 'folder', branch }, settings: settingsSchema.parse({}) } as AppState,
    })
  const undone = () =>
    main.requests.filter(
      ({ method, params }) => method === 'files.move' && JSON.stringify(params).includes('"to":"a.txt"'),
    )
  show('/one', 'main')
  onTestFinished(registerExplorer())
  await moveInto(['a.txt'], 'docs')
  show('/one', 'feature')
  undoLastStep()
  await expect.poll(() => undone().length).toBe(1)
  await moveInto(['a.txt'], 'docs')
  show('/two', 'main')
  undoLastStep()
  await moveInto(['b.txt'], 'docs')
  expect(undone()).toHaveLength(1)
})
