import { expect, it } from 'vitest'
import { defineCondition, handleCommand } from '../platform/commands.ts'
import { useQuickPick } from '../platform/quickPick/quickPick.ts'
import { showCommands } from './commandPalette.ts'

function shownIds(): string[] {
  const items = useQuickPick.getState().open?.options.items
  return Array.isArray(items) ? items.map(({ id }: { id: string }) => id) : []
}

it('the open palette gets a command that becomes possible meanwhile, such as those of a repository', async () => {
  let holds = false
  const listeners = new Set<() => void>()
  defineCondition(
    'repository',
    () => holds,
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  )
  handleCommand('git.newSession', () => undefined)
  const closed = showCommands()
  expect(shownIds()).not.toContain('git.newSession')
  holds = true
  for (const listener of listeners) listener()
  expect(shownIds()).toContain('git.newSession')
  useQuickPick.getState().open?.answer(null)
  await closed
  expect(listeners.size).toBe(0)
})
