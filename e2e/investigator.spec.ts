import type { Scenario } from '../src/main/model/scripted/scenario.ts'
import { scenarios } from './scenarios/index.ts'
import { expect, test } from './support/app.ts'
import { card, editor, lastAnswer, newConversation, send, unfold } from './support/window.ts'

const files = {
  'src/users.ts':
    'export function saveUser(user) {\n  // Names are unique.\n  if (!db.has(user.name)) db.put(user)\n}\n',
  'limits.ts': 'export const limit = 10\n',
}
/** The delegated task is about a limit. */
const scenario: Scenario = {
  name: 'sub-agents',
  turns: [
    ...scenarios.delegatedTask.turns.map((turn) => (turn.prompt.test('x') ? { ...turn, prompt: /the limit\?/ } : turn)),
    ...scenarios.investigate.turns,
  ],
}

test('sub-agents show their calls while they work: an investigation and a delegated task', async ({ launch }) => {
  const { page, endpoint } = await launch({ files, scenario, settings: { mode: 'safe' } })
  await test.step('the model investigates: its calls show while it works, its findings open the file', async () => {
    await send(page, 'how are users saved?')
    const running = card(page, 'codebase_investigator')
    const toggle = running.locator('.tool-card-toggle')
    await expect(toggle).toBeVisible()
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
    await expect(running).toContainText('read_file_range src/users.ts:1–4')
    endpoint?.release('found')
    await expect(lastAnswer(page)).toContainText('saved once')
    const found = await unfold(page, 'codebase_investigator')
    await expect(found.getByRole('region', { name: 'Findings' })).toContainText('Once, by name.')
    await found.getByText('if (!db.has(user.name)) db.put(user)').click()
    await expect(editor(page)).toContainText('Names are unique.')
  })

  await newConversation(page)
  await test.step('a delegated task shows its steps in its card, and is stopped without the turn', async () => {
    await send(page, 'where is the limit?')
    const running = card(page, 'task')
    const toggle = running.locator('.tool-card-toggle')
    await expect(toggle).toBeVisible()
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
    await expect(running).toContainText('read_file limits.ts')
    await running.getByRole('button', { name: 'Stop' }).click()
    await expect(running).toHaveAttribute('data-state', 'cancelled')
    await expect(lastAnswer(page)).toContainText('I go on without it')
  })
})
