import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chosenCases } from '../../src/main/testing/longForm.ts'
import { smallModels } from './models.ts'
import { runModel } from './runModel.ts'
import { makeTask } from './task.ts'

const minutes = 60_000

// A repair takes seconds; the long form plays all models.
describe.each(chosenCases(smallModels, 2))('a small model ($id)', (model) => {
  test('finishes the repair', { timeout: 2 * minutes }, async () => {
    expect(await runModel(model, [], 3)).toMatchObject({ solved: true, outcome: 'done' })
  })

  test.each(model.needs.map((feature) => ({ feature })))(
    'does not without $feature',
    { timeout: 2 * minutes },
    async ({ feature }) => {
      expect(await runModel(model, [feature], 3)).toMatchObject({ solved: false })
    },
  )
})

test('the task counts as unsolved without a repair, even if its tests are emptied', { timeout: minutes }, async () => {
  const task = await makeTask(3)
  try {
    expect(await task.solved()).toBe(false)
    for (const name of await readdir(join(task.root, 'test'))) await writeFile(join(task.root, 'test', name), '')
    expect(await task.solved()).toBe(false)
  } finally {
    await task.remove()
  }
})
