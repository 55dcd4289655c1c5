import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { scenarios } from './scenarios/index.ts'
import {
  clickEditorMenuItem,
  editor,
  focusEditor,
  lastAnswer,
  openFile,
  send,
  shownText,
  tab,
} from './support/window.ts'

const text = 'function add(a, b) {\r\n  const sum = a + b\r\n  return sum\r\n}\r\n'
const files = { 'a.ts': text }
const scenario = scenarios.inlineEdit
const shown = text.replaceAll('\r\n', '\n')
const added = (page: Page) => page.locator('.hunk-zone-added .hunk-zone-text')
const removed = (page: Page) => page.locator('.view-overlays .diff-line-removed')
const box = (page: Page) => page.getByRole('region', { name: 'Edit selection' })

/** Selects the two lines of the function's body and opens an inline edit. */
async function editBody(page: Page): Promise<void> {
  await openFile(page, 'a.ts')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Control+i')
}

test('an inline edit shows its diff in place, is refined, and is accepted as one undo step', async ({ launch }) => {
  const { page, path, endpoint } = await launch({ files, scenario, settings: withoutServers })
  await editBody(page)
  await expect(box(page).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('add types')
  await page.keyboard.press('Enter')
  await expect(added(page)).toHaveText(['  const sum: number = a + b\n  return sum as number'])
  await expect(removed(page)).not.toHaveCount(0)
  // Neither the text of the editor nor the file changes before the user accepts.
  await expect.poll(() => shownText(page)).toBe(shown)
  await expect(tab(page, 'a.ts')).toHaveAccessibleName('a.ts')

  const refine = box(page).getByRole('textbox', { name: 'Refine' })
  await expect(refine).toBeFocused()
  await refine.fill('make it rounded')
  await refine.press('Enter')
  await expect(added(page)).toHaveText(['  return Math.round(a + b)'])
  const last = endpoint?.requests.at(-1)?.body as { messages: { role: string; content: string }[] }
  expect(last.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])

  await page.keyboard.press('Control+Enter')
  await expect(box(page)).toHaveCount(0)
  await expect.poll(() => shownText(page)).toBe('function add(a, b) {\n  return Math.round(a + b)\n}\n')
  await page.keyboard.press('Control+s')
  await expect
    .poll(() => readFile(path('a.ts'), 'utf8'))
    .toBe('function add(a, b) {\r\n  return Math.round(a + b)\r\n}\r\n')
  // It is the user's own edit, so nothing waits in the review.
  await expect(page.getByRole('button', { name: 'Review', exact: true })).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect.poll(() => shownText(page)).toBe(shown)
})

test('an inline edit is stopped, rejected or withdrawn without a change, and generates text without a selection', async ({
  launch,
}) => {
  const { page, path, endpoint } = await launch({ files: { ...files, 'b.ts': '' }, scenario, settings: withoutServers })
  await test.step('an inline edit can be stopped and rejected without a change, and explains an unusable answer', async () => {
    await editBody(page)
    // Keys typed immediately go into the input, not into the selection.
    await page.keyboard.type('x')
    const field = box(page).getByRole('textbox')
    await expect(field).toHaveValue('x')
    await field.fill('add types slowly')
    await field.press('Enter')
    await expect(added(page)).toHaveText(['  const sum: number = a + b\n  log(sum)'])
    await page.keyboard.press('Escape')
    await expect(added(page)).toHaveCount(0)
    expect(await endpoint?.requests.at(-1)?.ended).toBe('broken')
    await expect(field).toHaveValue('add types slowly')

    await field.fill('the impossible')
    await field.press('Enter')
    await expect(box(page).getByRole('alert')).toContainText('The model did not edit the text')
    await field.press('ArrowUp')
    await field.press('ArrowUp')
    await expect(field).toHaveValue('add types slowly')
    await field.fill('add types')
    await field.press('Enter')
    await expect(added(page)).toHaveCount(1)

    // The proposal waits while another file is shown.
    await openFile(page, 'b.ts')
    await expect(box(page)).toHaveCount(0)
    await openFile(page, 'a.ts')
    await expect(added(page)).toHaveCount(1)
    await focusEditor(page)
    await page.keyboard.press('Escape')
    await expect(box(page)).toHaveCount(0)
    await expect(removed(page)).toHaveCount(0)
    await expect.poll(() => shownText(page)).toBe(shown)
    await expect(tab(page, 'a.ts')).toHaveAccessibleName('a.ts')
    expect(await readFile(path('a.ts'), 'utf8')).toBe(text)
  })

  await test.step('without a selection, an inline edit generates text at the cursor', async () => {
    await openFile(page, 'a.ts')
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Control+i')
    await expect(page.getByRole('region', { name: 'Generate at cursor' })).toBeVisible()
    await page.keyboard.type('a test')
    await page.keyboard.press('Enter')
    await expect(added(page)).toHaveText(['export const one = add(0, 1)'])
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    await expect.poll(() => shownText(page)).toBe(`${shown}export const one = add(0, 1)`)

    // A proposal for lines that changed in the meantime is withdrawn.
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+End')
    await page.keyboard.press('Control+i')
    await box(page).getByRole('textbox').fill('add types')
    await page.keyboard.press('Enter')
    await expect(added(page)).toHaveCount(1)
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.type('x')
    await expect(box(page).getByRole('alert')).toContainText('The text changed while the edit was open')
    await expect(added(page)).toHaveCount(0)
  })
})

test('files and selections go to the chat, and code blocks come back', async ({ launch }) => {
  const { page } = await launch({ files: { ...files, 'my notes.md': '# Notes\n' }, scenario, settings: withoutServers })
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await test.step('Ctrl+L with a selection mentions it in the message once', async () => {
    await openFile(page, 'a.ts')
    await focusEditor(page)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Shift+End')
    await page.keyboard.press('Control+l')
    await expect(message).toBeFocused()
    await expect(message).toHaveValue('@selection ')
    await page.keyboard.press('Control+l')
    await expect(message).toHaveValue('@selection ')
  })

  await message.fill('')
  await test.step('files and selections are added to the chat from explorer, tab and editor', async () => {
    const tree = page.getByRole('tree', { name: 'Files' })
    await tree.getByRole('treeitem', { name: 'my notes.md' }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Add to chat' }).click()
    await expect(message).toBeFocused()
    await expect(message).toHaveValue('@"my notes.md" ')

    await openFile(page, 'a.ts')
    await tab(page, 'a.ts').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Add to chat' }).click()
    await expect(message).toHaveValue('@"my notes.md" @a.ts ')

    await focusEditor(page)
    await page.keyboard.press('Control+a')
    await editor(page).getByText('function add').click({ button: 'right' })
    await clickEditorMenuItem(page, 'Add selection to chat')
    await expect(message).toHaveValue('@"my notes.md" @a.ts @selection ')

    await message.fill('')
    await tab(page, 'a.ts').dragTo(message)
    await expect(message).toHaveValue('@a.ts ')
  })

  await message.fill('')
  await test.step('a code block of the chat is applied in place, and its changes are accepted one by one', async () => {
    await openFile(page, 'a.ts')
    await send(page, 'Suggest three numbers')
    await lastAnswer(page).getByRole('button', { name: 'Apply in editor' }).click()
    await expect(added(page)).toHaveText(['function add(a, b, c) {', '  return sum + c'])
    await page.keyboard.press('Escape')
    await expect.poll(() => shownText(page)).toBe(shown)

    await lastAnswer(page).getByRole('button', { name: 'Apply in editor' }).click()
    await page.getByRole('button', { name: 'Accept change 1 of 2' }).click()
    await expect(added(page)).toHaveText(['  return sum + c'])
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await expect(added(page)).toHaveCount(0)
    await expect.poll(() => shownText(page)).toBe(shown.replace('a, b', 'a, b, c'))

    // With a selection, the block replaces the selected lines.
    await focusEditor(page)
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Control+Shift+Home')
    await lastAnswer(page).getByRole('button', { name: 'Apply in editor' }).click()
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    await expect.poll(() => shownText(page)).toBe('function add(a, b, c) {\n  const sum = a + b\n  return sum + c\n}\n')
  })
})
