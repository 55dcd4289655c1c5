import { readFile } from 'node:fs/promises'
import { startScriptedEndpoint } from '../src/main/model/scripted/scriptedEndpoint.ts'
import { expect, test } from './support/app.ts'
import { card, lastAnswer, newConversation, send } from './support/window.ts'
import { scenarios } from './scenarios/index.ts'

const files = { 'ships.json': '["Anna"]\n' }
const scenario = scenarios.guided

test('a running turn is steered, a plan is edited before it is executed', async ({ launch }) => {
  const { page, path, endpoint } = await launch({ files, scenario, settings: { mode: 'cautious' } })
  await test.step('Ctrl+Enter steers at once', async () => {
    await send(page, 'look around')
    await expect(lastAnswer(page)).toContainText('I look at the list first.')
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill('only the ferries')
    await field.press('Control+Enter')
    await expect(
      page.getByRole('list', { name: 'Queued messages' }).getByRole('button', { name: 'Send after turn' }),
    ).toBeVisible()
    endpoint?.release('looking')
    await expect(lastAnswer(page)).toContainText('Only the ferries, then')
  })

  await newConversation(page)
  await test.step('a plan changes nothing until it is executed, as the user edited it', async () => {
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
    await page.getByRole('button', { name: 'Mode: Cautious', exact: true }).click()
    await page.getByRole('option', { name: /^Plan/ }).click()
    await send(page, 'plan it')
    const plan = page.getByTestId('plan-card')
    await expect(plan).toContainText('in Cautious mode')
    expect(await readFile(path('ships.json'), 'utf8')).toBe(files['ships.json'])
    await plan.getByRole('button', { name: 'Edit plan' }).click()
    await plan.getByRole('textbox', { name: 'Edited plan' }).fill('1. Add only the ferry.')
    await plan.getByRole('button', { name: 'Execute plan' }).click()
    await expect(lastAnswer(page)).toContainText('The ferry is in the list.')
    await expect(page.getByRole('button', { name: 'Mode: Cautious', exact: true })).toBeVisible()
    await expect(plan).toHaveCount(0)
    expect(await readFile(path('ships.json'), 'utf8')).toContain('Ferry')
  })
})

test('a turn is steered after a reload, shows its to-do list, and is stopped when it repeats itself', async ({
  launch,
}) => {
  const { page, endpoint, reload } = await launch({ files, scenario, settings: { mode: 'yolo' } })
  await test.step('a message typed while a turn runs steers it after the current calls, even after a reload', async () => {
    await send(page, 'look around')
    await expect(lastAnswer(page)).toContainText('I look at the list first.')
    await send(page, 'only the ferries')
    const waiting = page.getByRole('list', { name: 'Queued messages' })
    await waiting.getByRole('button', { name: 'Steer' }).click()
    await expect(waiting.getByRole('button', { name: 'Send after turn' })).toBeVisible()
    await reload()
    await expect(waiting).toContainText('only the ferries')
    endpoint?.release('looking')
    await expect(lastAnswer(page)).toContainText('Only the ferries, then')
    await expect(waiting).toHaveCount(0)
    await expect(page.getByRole('article', { name: 'You' }).last()).toContainText('Steered the running turn')
  })

  await newConversation(page)
  await test.step("the model's to-do list shows its progress, and an edit that breaks a file reports the error", async () => {
    await send(page, 'long task')
    const bar = page.getByTestId('todo-bar')
    await expect(bar).toContainText('1/3')
    await expect(bar).toContainText('Add the ferry')
    await expect(card(page, 'write_file').getByRole('list', { name: 'Errors after this edit' })).toContainText(
      'ships.json:',
    )
    await bar.getByRole('button').click()
    await expect(bar.getByRole('listitem')).toHaveCount(3)
    endpoint?.release('mending')
    await expect(lastAnswer(page)).toContainText('All three steps are done.')
    await expect(bar).toContainText('3/3')
    await send(page, 'thank you')
    await expect(lastAnswer(page)).toContainText('You are welcome.')
    await expect(bar).toHaveCount(0)
  })

  await newConversation(page)
  await test.step('a model that repeats itself is stopped, and continues on request', async () => {
    await send(page, 'go in circles')
    await expect(page.getByText(/Stopped: the model made the same call \(read_file\) 5 times/)).toBeVisible()
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(lastAnswer(page)).toContainText('I have the list now.')
  })
})

test('the steps of a small model are shown before they run, and run as the user edited them', async ({ launch }) => {
  const endpoint = await startScriptedEndpoint(scenario)
  try {
    const { page } = await launch({
      files: { 'port.cfg': 'PORT = 1\n', 'old.txt': '' },
      settings: {
        endpoints: [
          {
            id: 's',
            name: 'Scripted',
            kind: 'openai',
            baseUrl: endpoint.url,
            hasKey: false,
            models: { scripted: { calls: 'guided' } },
          },
        ],
        model: { endpointId: 's', model: 'scripted' },
        mode: 'cautious',
      },
    })
    await send(page, 'Read port.cfg. Delete old.txt. Set PORT to 2 in port.cfg.')
    const steps = page.getByTestId('plan-card')
    await expect(steps).toContainText('Nothing has changed yet.')
    await expect(lastAnswer(page).getByRole('listitem')).toHaveCount(3)
    await steps.getByRole('button', { name: 'Edit steps' }).click()
    const field = steps.getByRole('textbox', { name: 'Edited steps' })
    await field.fill('3. Set PORT to 2 in port.cfg.\nRead port.cfg.')
    await steps.getByRole('button', { name: 'Run steps' }).click()
    const message = page.getByRole('article', { name: 'You' }).last()
    await expect(message).toContainText('1. Set PORT to 2 in port.cfg.')
    await expect(message).toContainText('2. Read port.cfg.')
    await expect(steps).toHaveCount(0)
  } finally {
    await endpoint.close()
  }
})
