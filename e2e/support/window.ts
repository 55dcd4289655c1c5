import { expect, type Locator, type Page } from '@playwright/test'

// Actions of a user in the window, and locators for what is visible.

/** Types a message and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill(text)
  await field.press('Enter')
}

/** Starts a conversation without messages. */
export async function newConversation(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click()
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(0)
}

/** Locates the latest answer of the model. */
export const lastAnswer = (page: Page): Locator => page.getByRole('article', { name: 'Answer' }).last()

/** Locates the card of the latest call of a tool. */
export const card = (page: Page, tool: string): Locator =>
  page.locator(`[data-testid="tool-card"][data-tool="${tool}"]`).last()

/** Waits until the latest card of a tool has a state. */
export async function cardIs(page: Page, tool: string, state: string): Promise<Locator> {
  const found = card(page, tool)
  await expect(found).toHaveAttribute('data-state', state)
  return found
}

/** Waits until the latest call of a tool is done and expands its card. */
export async function unfold(page: Page, tool: string): Promise<Locator> {
  const found = await cardIs(page, tool, 'done')
  const toggle = found.locator('.tool-card-toggle')
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
  return found
}

/** Waits until the pending approval accepts answers and locates its card. */
export async function approval(page: Page): Promise<Locator> {
  const found = page.getByTestId('approval-card')
  // Outside of the test runner, an expectation waits for five seconds only.
  await found.waitFor()
  await expect(found).toHaveAttribute('data-armed', 'true')
  return found
}

export async function allowOnce(page: Page): Promise<void> {
  await (await approval(page)).getByRole('button', { name: 'Allow once' }).click()
}

/** Runs the first command of the palette that matches. */
export async function runPalette(page: Page, command: string): Promise<void> {
  await page.keyboard.press('F1')
  await page.getByRole('combobox', { name: 'Command palette' }).fill(command)
  await page.keyboard.press('Enter')
}

/** Moves the focus with Tab until a control has it, as a user without a mouse does. */
export async function tabTo(control: Locator): Promise<void> {
  await control.waitFor()
  await expect(async () => {
    await control.page().keyboard.press('Tab')
    await expect(control).toBeFocused({ timeout: 50 })
  }).toPass({ intervals: [0] })
}

/** Moves the focus to a control with Tab, and presses Enter there. */
export async function pressWithKeys(control: Locator): Promise<void> {
  await tabTo(control)
  await control.page().keyboard.press('Enter')
}

/** Opens a file with quick open. */
export async function openFile(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+p')
  const box = page.getByRole('combobox', { name: 'Go to' })
  await box.fill(name)
  const rows = page.getByRole('dialog').getByRole('option')
  await expect(rows.first()).toContainText(name.split('/').at(-1) ?? name)
  await box.press('Enter')
  await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true')
  await expect(editor(page)).toBeVisible()
}

/** Locates a tab in any state ("name", "name (unsaved)"). */
export const tab = (page: Page, name: string): Locator =>
  page.getByRole('tab', { name: new RegExp(`^${escape(name.split('/').at(-1) ?? name)}( \\(|$)`) })

/** Locates Monaco in the active group. */
export const editor = (page: Page): Locator =>
  page.locator('.editor-group[data-active="true"] .monaco-editor[role="code"]').first()

/** Returns the visible lines of Monaco, with plain instead of non-breaking spaces. */
export async function shownText(page: Page): Promise<string> {
  const lines = page.locator('.editor-group[data-active="true"] .view-line')
  const texts = await lines.evaluateAll((found) =>
    found
      .map((line) => ({ top: Number.parseFloat((line as HTMLElement).style.top), text: line.textContent ?? '' }))
      .toSorted((a, b) => a.top - b.top)
      .map(({ text }) => text),
  )
  return texts.join('\n').replaceAll('\u00a0', ' ')
}

/** Clicks the editor of the active group to focus it. */
export async function focusEditor(page: Page): Promise<void> {
  await page.locator('.editor-group[data-active="true"] .view-lines').first().click()
}

/**
 * Clicks an item of the editor's context menu until the menu closes. Monaco ignores a click in the first 100 ms of a
 * menu, so that the click that opened it chooses nothing.
 */
export async function clickEditorMenuItem(page: Page, name: string): Promise<void> {
  const item = page.getByRole('menuitem', { name })
  await expect(item).toBeVisible()
  await expect(async () => {
    if (await item.isVisible()) await item.click({ timeout: 1_000 })
    await expect(item).toBeHidden({ timeout: 1_000 })
  }).toPass()
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/** Locates the button of the status bar that shows line and column. */
export const cursorPosition = (page: Page): Locator => page.getByRole('button', { name: /\. Go to line\.$/ })

/** Puts the cursor to a line and column ("3:14"), as the user does with Ctrl+G. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.keyboard.press('Control+g')
  await page.getByRole('combobox', { name: 'Go to line' }).fill(place)
  await page.keyboard.press('Enter')
  const [line, column] = place.split(':')
  await expect(cursorPosition(page)).toHaveText(`Ln ${line}, Col ${column}`)
}

/** Shows what the page of the Preview tab contains as a list, as a user of a screen reader does. */
export async function readPage(page: Page, expected: string): Promise<void> {
  const read = page.getByRole('button', { name: 'Read the page as text' })
  await read.focus({ timeout: 20_000 })
  await read.press('Enter')
  await expect(page.getByRole('list', { name: 'Content of the page' })).toContainText(expected, { timeout: 20_000 })
}
