import {
  answer,
  call,
  say,
  step,
  waitForGate,
  type Scenario,
  type ScenarioTurn,
} from '../src/main/model/scripted/scenario.ts'
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
    {
      prompt: /please raise it/,
      steps: [
        step('delegate', call('task', { prompt: 'Raise the limit to 20.', allow_changes: true })),
        {
          title: 'knows the change',
          play: (seen) => {
            seen.expect('task', /the sub-agent changed limits\.ts\./, 'what the sub-agent changed')
            return answer(say('It is raised, although you stopped the task.'))
          },
        },
      ],
    },
    ...scenarios.delegatedTask.turns.map((turn) => (turn.prompt.test('x') ? { ...turn, prompt: /the limit\?/ } : turn)),
    ...scenarios.investigate.turns,
  ],
}

test('sub-agents show their calls while they work: an investigation and a delegated task', async ({ launch }) => {
  const edited = Promise.withResolvers<void>()
  const raise: ScenarioTurn = {
    prompt: /^Raise the limit/,
    steps: [
      step('edit', call('edit_file', { path: 'limits.ts', old_content: 'limit = 10', new_content: 'limit = 20' })),
      {
        title: 'wait',
        play: () => {
          edited.resolve()
          return answer(waitForGate('never'))
        },
      },
    ],
  }
  const { page, endpoint } = await launch({
    files,
    scenario: { ...scenario, turns: [raise, ...scenario.turns] },
    settings: { mode: 'cautious' },
  })
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
    await expect(found.locator('[data-testid="nested-call"]')).toContainText('src/users.ts:1–4')
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
    await expect(running.locator('[data-testid="nested-call"]')).toContainText('limits.ts')
  })

  await newConversation(page)
  await test.step('a task that is stopped after an edit shows it, and the model knows of it', async () => {
    await send(page, 'please raise it')
    const running = card(page, 'task')
    const toggle = running.locator('.tool-card-toggle')
    await expect(toggle).toBeVisible()
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
    await expect(running).toContainText('edit_file limits.ts')
    await edited.promise
    await running.getByRole('button', { name: 'Stop' }).click()
    await expect(running).toHaveAttribute('data-state', 'cancelled')
    const edit = running.locator('[data-testid="nested-call"][data-tool="edit_file"]')
    await edit.getByRole('button').click()
    await expect(edit.getByTestId('diff')).toContainText('limit = 20')
    await expect(lastAnswer(page)).toContainText('It is raised')
  })
})
