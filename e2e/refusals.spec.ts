import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scenario } from '../src/main/model/scripted/scenario.ts'
import { expect, test } from './support/app.ts'
import { card, cardIs, lastAnswer, newConversation, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

/** The messages name the scenario. */
const scenario: Scenario = {
  name: 'refusals',
  turns: [
    ...scenarios.failingMultiPatch.turns.map((turn) => ({ ...turn, prompt: /^patch/ })),
    ...scenarios.pathEscape.turns.map((turn) => ({ ...turn, prompt: /^escape/ })),
  ],
}

test('a call is refused as a whole, in yolo mode too', async ({ launch }) => {
  const app = await launch({
    files: { 'notes.txt': 'alpha\nbeta\n', 'a.txt': 'a' },
    scenario,
    settings: { mode: 'yolo' },
  })
  await test.step('if one patch of a call fails, the file stays unchanged', async () => {
    await send(app.page, 'patch the notes')
    const found = await cardIs(app.page, 'apply_patch', 'failed')
    await expect(found).toContainText('no patch was applied')
    await expect(lastAnswer(app.page)).toContainText('refused as a whole')
    expect(await readFile(app.path('notes.txt'), 'utf8')).toBe('alpha\nbeta\n')
  })

  await newConversation(app.page)
  await test.step('paths outside the folder are refused, in yolo too, and the refusal shows', async () => {
    await writeFile(join(app.workspace, '..', 'secret.txt'), 'the secret')
    await send(app.page, 'escape')
    await expect(lastAnswer(app.page)).toContainText('Both were refused.')
    await expect(card(app.page, 'read_file')).toContainText('outside')
    await expect(app.page.getByText('the secret')).toHaveCount(0)
    expect(existsSync(join(app.workspace, '..', 'planted.txt'))).toBe(false)
  })
})
