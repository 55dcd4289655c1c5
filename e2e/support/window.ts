import { expect, type Locator, type Page } from '@playwright/test'

/** What a user does and sees, in the user's words. */

/** Types a message and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill(text)
  await field.press('Enter')
}

/** The latest answer of the model. */
export const lastAnswer = (page: Page): Locator => page.getByRole('article', { name: 'Answer' }).last()

/** The card of the latest call of a tool. */
export const card = (page: Page, tool: string): Locator =>
  page.locator(`[data-testid="tool-card"][data-tool="${tool}"]`).last()

/** Waits for a card to reach a state. */
export async function cardIs(page: Page, tool: string, state: string): Promise<Locator> {
  const found = card(page, tool)
  await expect(found).toHaveAttribute('data-state', state)
  return found
}

/** The finished card of a tool, opened. */
export async function unfold(page: Page, tool: string): Promise<Locator> {
  const found = await cardIs(page, tool, 'done')
  const toggle = found.locator('.tool-card-toggle')
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
  return found
}

/** The pending question, once it takes answers. */
export async function approval(page: Page): Promise<Locator> {
  const found = page.getByTestId('approval-card')
  await expect(found).toHaveAttribute('data-armed', 'true')
  return found
}

export async function allowOnce(page: Page): Promise<void> {
  await (await approval(page)).getByRole('button', { name: 'Allow once' }).click()
}

/** Opens a file through quick open, as a user in a hurry does. */
export async function openFile(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+p')
  const box = page.getByRole('combobox')
  await box.fill(name)
  await expect(page.getByRole('option').first()).toContainText(name.split('/').at(-1) ?? name)
  await box.press('Enter')
  await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true')
  await expect(editor(page)).toBeVisible()
}

/** A tab, whatever its state ("name", "name (unsaved)"). */
export const tab = (page: Page, name: string): Locator =>
  page.getByRole('tab', { name: new RegExp(`^${escape(name.split('/').at(-1) ?? name)}( \\(|$)`) })

/** Monaco's visible text, in the active group. */
export const editor = (page: Page): Locator =>
  page.locator('.editor-group[data-active="true"] .monaco-editor[role="code"]').first()

/** The text lines that Monaco shows, its non-breaking spaces as plain ones. */
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

/** Puts the cursor into the editor. */
export async function focusEditor(page: Page): Promise<void> {
  await page.locator('.editor-group[data-active="true"] .view-lines').first().click()
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
