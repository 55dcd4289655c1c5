import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { scenarios } from './scenarios/index.ts'
import { expect, test, type App } from './support/app.ts'
import { lastAnswer, newConversation, send } from './support/window.ts'

const files = {
  'docs/my notes.md': 'Remember the tide.\n',
  'src/tide.ts':
    "import { moon } from './moon'\n\nexport function tide(hour: number): number {\n  return moon(hour) * 2\n}\n",
  'src/moon.ts': 'export const moon = (hour: number): number => hour % 12\n',
  'AGENTS.md': 'Answer in one sentence.\n',
  'src/AGENTS.md': 'Only pure functions.\n',
  '.tizona/commands/explain.md':
    '---\ndescription: Explain a file\nargument-hint: path\n---\nExplain $1 to a beginner.\n',
}

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const menu = (page: Page) => page.getByRole('listbox', { name: 'Mentions' })

/** Types a mention and selects the row of the menu. */
async function mention(page: Page, letters: string, row: string | RegExp): Promise<void> {
  await field(page).pressSequentially(`@${letters}`)
  const option = menu(page).getByRole('option').filter({ hasText: row }).first()
  await expect(option).toBeVisible()
  await option.click()
  await expect(menu(page)).toHaveCount(0)
}

/** The bodies of the chat requests, in their order. */
const requests = ({ endpoint }: App) =>
  (endpoint?.requests ?? [])
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => JSON.stringify(body))

test('a message carries files, symbols, pictures, prompts of commands, and instructions of folders', async ({
  launch,
}) => {
  const app = await launch({ files, scenario: scenarios.carried })
  const { page } = app
  await test.step('instructions reach the model once: those of the folder at the start, those of a subfolder when a file in it is read', async () => {
    await send(page, 'Read both files of src.')
    await expect(lastAnswer(page)).toContainText('Both are pure.')
    const sent = requests(app)
    expect(sent).toHaveLength(3)
    expect(sent[0]).toContain('Answer in one sentence.')
    expect(sent[0]).not.toContain('Only pure functions')
    for (const body of sent) expect(body.split('Answer in one sentence.')).toHaveLength(2)
    for (const body of sent.slice(1)) expect(body.split('Only pure functions')).toHaveLength(2)
    const told = page.getByRole('region', { name: 'Instructions sent to the model' })
    await expect(told).toHaveCount(2)
    await told.last().getByRole('button', { name: 'src/AGENTS.md' }).click()
    await expect(page.getByRole('tab', { name: /^AGENTS\.md/ })).toHaveAttribute('aria-selected', 'true')
    expect(await readFile(app.path('src/AGENTS.md'), 'utf8')).toBe('Only pure functions.\n')
  })

  await newConversation(page)
  await test.step('a file with a space in its name and a symbol are mentioned from the menu, and their mentions open them', async () => {
    await field(page).pressSequentially('Compare ')
    await mention(page, 'notes', 'my notes.md')
    await field(page).pressSequentially('with ')
    await mention(page, 'tide', /^tidesrc\/tide\.ts/)
    await expect(field(page)).toHaveValue('Compare @"docs/my notes.md" with @src/tide.ts#tide ')
    await field(page).press('Enter')
    await expect(lastAnswer(page)).toContainText('gives it')
    const message = page.getByRole('article', { name: 'You' }).last()
    await expect(message.getByRole('button', { name: 'docs/my notes.md' })).toBeVisible()
    await message.getByRole('button', { name: 'src/tide.ts#tide' }).click()
    await expect(page.getByRole('tab', { name: /^tide\.ts/ })).toHaveAttribute('aria-selected', 'true')
  })

  await newConversation(page)
  await test.step('a message that mentions a deleted file is not sent and stays in the composer', async () => {
    const before = requests(app)
    await send(page, 'Compare @"no such file.md"')
    await expect(
      page.getByRole('alert').or(page.getByRole('status')).filter({ hasText: 'could not be attached' }).first(),
    ).toBeVisible()
    await expect(field(page)).toHaveValue('Compare @"no such file.md"')
    expect(requests(app)).toEqual(before)
    await field(page).fill('')
  })

  await test.step('a slash command of the folder yields a prompt that is shown before it is sent', async () => {
    const before = requests(app)
    await field(page).pressSequentially('/exp')
    const commands = page.getByRole('listbox', { name: 'Commands' })
    await expect(commands.getByRole('option', { name: /explain/ })).toBeVisible()
    await field(page).press('Enter')
    await expect(field(page)).toHaveValue('/explain ')
    await field(page).pressSequentially('src/moon.ts')
    await field(page).press('Enter')
    await expect(field(page)).toHaveValue('Explain src/moon.ts to a beginner.')
    expect(requests(app)).toEqual(before)
    await field(page).press('Enter')
    await expect(lastAnswer(page)).toContainText('adds two numbers')
  })

  await newConversation(page)
  await test.step('a picture is scaled down, sent, shown under its message, and still shown after a reload', async () => {
    // A picture of 3000 × 30, drawn by the browser itself.
    const picture = await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(3000, 30)
      const context = canvas.getContext('2d')
      if (context) {
        context.fillStyle = 'red'
        context.fillRect(0, 0, 3000, 30)
      }
      return [...new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())]
    })
    await page
      .getByLabel('Image to attach')
      .setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(picture) })
    await expect(page.getByRole('button', { name: 'Remove red.png' })).toBeVisible()
    await send(page, 'What is on the picture?')
    await expect(lastAnswer(page)).toContainText('A red square.')
    expect(requests(app).at(-1)).toMatch(/"type":"image_url","image_url":\{"url":"data:image\/png;base64,iVBOR/)
    const shown = page.getByRole('article', { name: 'You' }).getByRole('img', { name: 'red.png' })
    await expect(shown).toHaveAttribute('title', /1568 × 16/)
    await app.reload()
    await expect(shown).toBeVisible()
    await expect(shown).toHaveJSProperty('naturalWidth', 1568)
  })
  expect(app.endpoint?.mismatches).toEqual([])
})
