import type { Page } from '@playwright/test'
import { checkView, inDialog } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { focusEditor, openFile, runPalette, shownText, tab } from './support/window.ts'

const files = Object.fromEntries(
  ['a', 'b', 'c'].map((name) => [
    `${name}.txt`,
    Array.from({ length: 300 }, (_, line) => `${name} ${line}\n`).join(''),
  ]),
)
const groups = (page: Page) => page.locator('.editor-group')

test('the editor is split to the right and down, keeps its scroll position and survives a reload', async ({
  launch,
}) => {
  const app = await launch({ files })
  const { page } = app
  await openFile(page, 'a.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await expect(page.getByText('a 299')).toBeVisible()
  await page.keyboard.press('Control+f')
  await page.keyboard.press('Control+\\')
  await expect(groups(page)).toHaveCount(2)
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Control+\\')
  await expect(groups(page)).toHaveCount(3)
  await openFile(page, 'b.txt')
  const [left, upper, lower] = await Promise.all([0, 1, 2].map((index) => groups(page).nth(index).boundingBox()))
  expect(
    left && upper && lower && { upperX: upper.x > left.x, below: lower.y > upper.y, sameX: lower.x === upper.x },
  ).toEqual({
    upperX: true,
    below: true,
    sameX: true,
  })
  // The second group moved into a column; its text did not move.
  await expect(groups(page).nth(0).getByText('a 299')).toBeVisible()
  await expect(groups(page).nth(0).getByRole('dialog', { name: 'Find / Replace' })).toBeVisible()
  await checkView(page, 'three editor groups')

  await page.keyboard.press('Control+1')
  await expect(groups(page).nth(0)).toHaveAttribute('data-active', 'true')
  await page.keyboard.press('Control+3')
  await page.keyboard.press('Control+Alt+ArrowLeft')
  await expect(groups(page).nth(1).getByRole('tab')).toHaveCount(2)
  await expect(groups(page).nth(1).locator('.monaco-editor.focused')).toBeVisible()

  await app.reload()
  await expect(groups(page)).toHaveCount(3)
  expect((await groups(page).nth(2).boundingBox())?.y).toBeGreaterThan(
    (await groups(page).nth(1).boundingBox())?.y ?? 0,
  )
})

test('pinned tabs stay first and are closed by their menu only, and all tabs are in a list, also by keyboard', async ({
  launch,
}) => {
  const app = await launch({ files })
  const { page } = app
  for (const name of Object.keys(files)) await openFile(page, name)
  const names = () => page.getByRole('tab').evaluateAll((tabs) => tabs.map((each) => each.getAttribute('aria-label')))
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Shift+Enter')
  await expect.poll(names).toEqual(['c.txt (pinned)', 'a.txt', 'b.txt'])
  await runPalette(page, 'Close tab')
  await expect(tab(page, 'a.txt')).toHaveAttribute('aria-selected', 'true')
  await tab(page, 'c.txt').click({ button: 'middle' })
  await app.reload()
  await expect.poll(names).toEqual(['c.txt (pinned)', 'a.txt', 'b.txt'])
  await runPalette(page, 'Show tabs of editor group')
  await expect(page.getByRole('dialog').getByRole('option')).toHaveCount(3)
  await checkView(page, 'list of tabs', inDialog)
  await page.keyboard.type('b.txt')
  await page.keyboard.press('Enter')
  await expect.poll(() => shownText(page)).toContain('b 0')
  await runPalette(page, 'Close all tabs')
  await expect.poll(names).toEqual(['c.txt (pinned)'])
  await tab(page, 'c.txt').press('Shift+F10')
  await page.getByRole('menuitem', { name: /^Close(?! others| all)/ }).press('Enter')
  await expect(page.getByRole('tab')).toHaveCount(0)
})

test('zen mode shows the editor alone, and a theme is seen before it is chosen', async ({ launch }) => {
  const app = await launch({ files })
  const { page } = app
  await openFile(page, 'a.txt')
  await focusEditor(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.press('z')
  await expect(page.locator('.activity-bar, .statusbar, .title-bar, .workbench-side, .workbench-chat')).toHaveCount(0)
  await checkView(page, 'zen mode')
  await app.reload()
  await expect(page.locator('.workbench-side, .workbench-chat')).toHaveCount(0)
  await focusEditor(page)
  await page.keyboard.press('Control+k')
  await page.keyboard.press('z')
  await expect(page.locator('.workbench-side')).toBeVisible()
  await expect(page.locator('.workbench-chat')).toBeVisible()

  const theme = () => page.evaluate(() => document.documentElement.dataset['theme'])
  const before = await theme()
  await runPalette(page, 'Color theme')
  await page.getByRole('option', { name: 'High contrast light' }).waitFor()
  await page.keyboard.type('high contrast light')
  await expect.poll(theme).toBe('hc-light')
  await page.keyboard.press('Escape')
  await expect.poll(theme).toBe(before)
  await runPalette(page, 'Color theme')
  await page.getByRole('option', { name: 'High contrast light' }).waitFor()
  await page.keyboard.type('light')
  await page.keyboard.press('Enter')
  await expect.poll(theme).toBe('light')
  await app.reload()
  await expect.poll(theme).toBe('light')
})
