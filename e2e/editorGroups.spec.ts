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
  await page.getByRole('menuitem', { name: /^Close(?! others| all| to| saved)/ }).press('Enter')
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
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
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

test('a file opens in the active group, or to the side, by keyboard alone', async ({ launch }) => {
  const app = await launch({ files })
  const { page } = app
  const tabsOf = (index: number) => groups(page).nth(index).getByRole('tab')
  await openFile(page, 'a.txt')

  await test.step('quick open opens to the side, in a new group or in the one on the right', async () => {
    await page.keyboard.press('Control+p')
    await page.getByRole('combobox', { name: 'Go to' }).fill('b.txt:40')
    await page.keyboard.press('Control+Enter')
    await expect(groups(page)).toHaveCount(2)
    await expect(groups(page).nth(1).locator('.monaco-editor.focused')).toBeVisible()
    await expect(groups(page).nth(1).getByText('b 39', { exact: true })).toBeVisible()
    await page.keyboard.press('Control+1')
    await expect(groups(page).nth(0).locator('.monaco-editor.focused')).toBeVisible()
    await page.keyboard.press('Control+p')
    await page.getByRole('combobox', { name: 'Go to' }).fill('c.txt')
    await page.keyboard.press('Control+Enter')
    await expect(tabsOf(1)).toHaveText(['b.txt', 'c.txt'])
    await expect(groups(page).nth(1).locator('.monaco-editor.focused')).toBeVisible()
  })

  await test.step('an open file opens in the group with the focus', async () => {
    await page.keyboard.press('Control+1')
    await expect(groups(page).nth(0).locator('.monaco-editor.focused')).toBeVisible()
    await page.keyboard.press('Control+p')
    await page.getByRole('combobox', { name: 'Go to' }).fill('b.txt')
    await page.keyboard.press('Enter')
    await expect(tabsOf(0)).toHaveText(['a.txt', 'b.txt'])
    await expect(tabsOf(1)).toHaveText(['b.txt', 'c.txt'])
  })

  await test.step('so does the explorer, and its menu and Ctrl+Enter open to the side', async () => {
    await runPalette(page, 'Show explorer')
    const row = page.getByRole('treeitem', { name: 'c.txt' })
    await row.click()
    await expect(tabsOf(0)).toHaveText(['a.txt', 'b.txt', 'c.txt'])
    await page.getByRole('treeitem', { name: 'a.txt' }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Open to the side' }).press('Enter')
    await expect(tabsOf(1)).toHaveText(['b.txt', 'c.txt', 'a.txt'])
    await page.getByRole('tree').press('ArrowDown')
    await page.keyboard.press('Control+Enter')
    await expect(groups(page)).toHaveCount(3)
    await expect(tabsOf(2)).toHaveText(['b.txt'])
  })

  await test.step('and a match of a search', async () => {
    await page.keyboard.press('Control+2')
    await page.keyboard.press('Control+Shift+F')
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill('c 299')
    await expect(page.getByText('1 match in 1 file').first()).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Enter')
    await expect(tabsOf(2)).toHaveText(['b.txt', 'c.txt'])
    await expect(groups(page).nth(2).getByText('c 299')).toBeVisible()
  })
})

test('the active tab is in view after a reload and in a smaller window, and a new text is a new one', async ({
  launch,
}) => {
  const many = Object.fromEntries(Array.from({ length: 25 }, (_file, index) => [`file-${index}.txt`, `${index}\n`]))
  const app = await launch({ files: many })
  const { page } = app
  for (const name of Object.keys(many)) await openFile(page, name)
  await runPalette(page, 'New untitled text file')
  await expect(tab(page, 'Untitled-1')).toHaveAttribute('aria-selected', 'true')
  await openFile(page, 'file-24.txt')
  await app.reload()
  await expect(tab(page, 'file-24.txt')).toBeInViewport({ ratio: 0.9 })
  await page.setViewportSize({ width: 1000, height: 800 })
  await expect(tab(page, 'file-24.txt')).toBeInViewport({ ratio: 0.9 })
  await runPalette(page, 'New untitled text file')
  await expect(tab(page, 'Untitled-2')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => shownText(page)).toBe('')
})

test('the chords of VS Code focus groups, save, compare and close tabs', async ({ launch }) => {
  const app = await launch({ files })
  const { page } = app
  const tabsOf = (index: number) => groups(page).nth(index).getByRole('tab')
  const chord = async (key: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await page.keyboard.press(key)
  }
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await openFile(page, name)
  await page.keyboard.press('Control+\\')
  await expect(groups(page)).toHaveCount(2)

  await test.step('focus goes to the group on the left and on the right', async () => {
    await chord('ArrowLeft')
    await expect(groups(page).nth(0).locator('.monaco-editor.focused')).toBeVisible()
    await chord('Control+ArrowRight')
    await expect(groups(page).nth(1).locator('.monaco-editor.focused')).toBeVisible()
  })

  await test.step('Ctrl+K M chooses a language, Ctrl+K D compares with the disk, and Ctrl+K S saves all', async () => {
    await chord('m')
    await expect(page.getByRole('combobox', { name: 'Language mode' })).toBeFocused()
    await page.keyboard.press('Escape')
    await page.keyboard.insertText('changed ')
    await expect(tabsOf(0).last()).toHaveAccessibleName(/unsaved/)
    await chord('d')
    await expect(page.getByRole('tab', { name: 'c.txt (on disk ↔ unsaved)' })).toHaveAttribute('aria-selected', 'true')
    await expect(groups(page).nth(1).getByRole('tabpanel')).toBeFocused()
    await runPalette(page, 'Close tab')
    await expect(tabsOf(1)).toHaveText(['c.txt'])
    await page.keyboard.press('Control+p')
    await page.getByRole('combobox', { name: 'Go to' }).fill('a.txt')
    await page.keyboard.press('Enter')
    await expect(tabsOf(1)).toHaveText(['c.txt', 'a.txt'])
    await expect(groups(page).nth(1).locator('.monaco-editor.focused')).toBeVisible()
    await chord('u')
    await expect(tabsOf(1)).toHaveText(['c.txt'])
    await chord('s')
    await expect(tabsOf(0).last()).toHaveAccessibleName('c.txt')
  })

  await test.step('Ctrl+K W closes the group, and the menu of a tab those to the right', async () => {
    await chord('w')
    await expect(groups(page)).toHaveCount(1)
    await tab(page, 'a.txt').press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Close to the right' }).press('Enter')
    await expect(tabsOf(0)).toHaveText(['a.txt'])
  })
})

test('tabs and files are dragged to an edge of an editor, which splits it', async ({ launch }) => {
  const app = await launch({ files })
  const { page } = app
  const tabsOf = (index: number) => groups(page).nth(index).getByRole('tab')
  /** Moves the pressed pointer into a group, at a part of its width and height. */
  const moveOver = async (index: number, x: number, y: number): Promise<void> => {
    const box = await groups(page).nth(index).locator('.editor-content').boundingBox()
    if (!box) throw new Error('The group is not visible.')
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5, { steps: 3 })
    await page.mouse.move(box.x + box.width * x, box.y + box.height * y, { steps: 3 })
  }
  for (const name of ['a.txt', 'b.txt']) await openFile(page, name)

  await test.step('a tab moves to a new group', async () => {
    await tab(page, 'b.txt').hover()
    await page.mouse.down()
    await moveOver(0, 0.9, 0.5)
    await expect(page.locator('.editor-drop-zone')).toHaveAttribute('data-zone', 'right')
    await checkView(page, 'zones of an editor', { only: ['.editor-group'] })
    await page.mouse.up()
    await expect(groups(page)).toHaveCount(2)
    await expect(tabsOf(0)).toHaveText(['a.txt'])
    await expect(tabsOf(1)).toHaveText(['b.txt'])
    await expect(page.locator('.editor-drop')).toHaveCount(0)
    await expect(groups(page).nth(1).locator('.monaco-editor.focused')).toBeVisible()
  })

  await test.step('a file of the explorer opens in a new group, or in the one in whose middle it is dropped', async () => {
    await page.getByRole('treeitem', { name: 'c.txt' }).hover()
    await page.mouse.down()
    await moveOver(1, 0.5, 0.9)
    await expect(page.locator('.editor-drop-zone')).toHaveAttribute('data-zone', 'down')
    await page.mouse.up()
    await expect(groups(page)).toHaveCount(3)
    await expect(tabsOf(2)).toHaveText(['c.txt'])
    await page.getByRole('treeitem', { name: 'c.txt' }).hover()
    await page.mouse.down()
    await moveOver(0, 0.5, 0.5)
    await page.mouse.up()
    await expect(tabsOf(0)).toHaveText(['a.txt', 'c.txt'])
    await expect.poll(() => shownText(page)).toContain('c 0')
  })
})
