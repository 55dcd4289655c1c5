import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { call, say, step, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { checkView } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { approval, runPalette } from './support/window.ts'

const renamed = '{\n  "name": "harbour-shop",\n  "private": true\n}\n'

/** A model that answers the check, talks about the first message, and changes the file at the second one. */
const scenario: Scenario = {
  name: 'first-edit',
  turns: [
    {
      prompt: /first line of notes/,
      steps: [step('call', call('read_file', { path: 'notes.txt' })), step('done', say('Read.'))],
    },
    {
      prompt: /A test in test/,
      steps: [step('only talk', say('You could divide by 100.'))],
    },
    {
      prompt: /Change name to harbour-shop/,
      steps: [
        step('read', call('read_file', { path: 'package.json' })),
        step('write', call('write_file', { path: 'package.json', content: renamed })),
        step('done', say('The shop has a new name.')),
      ],
    },
  ],
}

const steps = (page: Page): Locator => page.getByRole('region', { name: 'First steps' })
const stepOf = (page: Page, title: string): Locator =>
  steps(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: title }) })

/** Presses a button with the keyboard alone. */
async function press(button: Locator): Promise<void> {
  await button.focus()
  await button.press('Enter')
}

test('from an empty user data folder to the first kept change, with the keyboard', async ({ launch }) => {
  const { page, workspace, reload } = await launch({
    noFolder: true,
    ownHome: true,
    discovers: true,
    trust: false,
    scenario,
  })
  const sample = join(dirname(workspace), 'home', 'tizona-sample')

  await test.step('the server is found, and its model calls tools', async () => {
    await expect(steps(page).getByText(/^Ready: .*1 model/)).toBeVisible()
    await press(steps(page).getByRole('button', { name: 'Check model' }))
    await expect(steps(page).getByText(/The model calls tools/)).toBeVisible()
    await checkView(page, 'first steps with a model')
  })

  await test.step('the sample folder opens with the steps in a tab', async () => {
    await press(steps(page).getByRole('button', { name: 'Open sample folder' }))
    await expect(page.getByRole('tab', { name: 'First steps' })).toBeVisible()
    await expect(stepOf(page, '2. Open a folder')).toHaveAttribute('data-state', 'done')
    await expect(stepOf(page, '3. Ask for a change')).toHaveAttribute('data-state', 'current')
  })

  await test.step('an answer without a change says what to do instead', async () => {
    await press(steps(page).getByRole('button', { name: /A test in test/ }))
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(stepOf(page, '3. Ask for a change')).toHaveAttribute('data-state', 'failed')
    await expect(steps(page).getByText(/answered without changing a file/)).toBeVisible()
  })

  /** Sends the suggested change and allows it. */
  async function changeName(): Promise<void> {
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await press(steps(page).getByRole('button', { name: /Change name to harbour-shop/ }))
    await expect(message).toBeFocused()
    await page.keyboard.press('Enter')
    const question = await approval(page)
    await expect(stepOf(page, '3. Ask for a change')).toContainText('waits for your approval')
    await press(question.getByRole('button', { name: 'Allow once' }))
    await expect(stepOf(page, '4. Keep the change')).toHaveAttribute('data-state', 'current')
  }

  await test.step('an undone change asks for another one', async () => {
    await changeName()
    await press(steps(page).getByRole('button', { name: 'Review changes' }))
    await press(page.getByRole('button', { name: 'Undo all' }))
    await expect(stepOf(page, '3. Ask for a change')).toContainText('The change no longer waits in the review.')
    await expect(stepOf(page, '4. Keep the change')).toHaveAttribute('data-state', 'later')
  })

  await test.step('a change is allowed, survives a reload, and is kept', async () => {
    await changeName()
    expect(await readFile(join(sample, 'package.json'), 'utf8')).toBe(renamed)
    await reload()
    await expect(stepOf(page, '4. Keep the change')).toHaveAttribute('data-state', 'current')
    await checkView(page, 'first steps with a change to keep')
    await press(steps(page).getByRole('button', { name: 'Review changes' }))
    await press(page.getByRole('button', { name: /^Keep/ }).first())
    await expect(stepOf(page, '4. Keep the change')).toHaveAttribute('data-state', 'done')
  })
})

test('the steps are hidden for good, and the Help command shows them again', async ({ launch }) => {
  const { page, reload } = await launch({ noFolder: true, trust: false })
  await expect(steps(page).getByText(/No model server is running/)).toBeVisible()
  await checkView(page, 'first steps without a server')
  await press(steps(page).getByRole('button', { name: 'Do not show again' }))
  await expect(steps(page)).toHaveCount(0)
  await reload()
  await expect(page.getByRole('button', { name: /Take the tour/ })).toBeVisible()
  await expect(steps(page)).toHaveCount(0)
  await runPalette(page, 'First steps')
  await expect(steps(page)).toBeVisible()
})
