import { checkView, inEditors } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { cursorPosition, goTo, openFile, runPalette, shownText, tab } from './support/window.ts'

test('search results open in an editor, whose lines lead to the matches, by keyboard alone', async ({ launch }) => {
  const app = await launch({
    files: { 'src/a.ts': 'one\nconst total = 1\n', 'src/b.ts': 'total\n', 'c.txt': 'none\n' },
    settings: withoutServers,
  })
  const { page } = app
  await runPalette(page, 'Open search results in an editor')
  await expect(page.getByText('Nothing was searched for yet.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Search', exact: true })).toBeFocused()
  const side = page.getByRole('region', { name: 'Search' }).or(page.locator('.search'))
  await page.getByRole('textbox', { name: 'Search', exact: true }).fill('total')
  await expect(side.getByText('2 matches in 2 files').first()).toBeVisible()
  await runPalette(page, 'Open search results in an editor')
  await expect.poll(() => shownText(page)).toContain('# Query: total')
  await expect.poll(() => shownText(page)).toContain('  2: const total = 1')
  await checkView(page, 'search results in an editor', inEditors)
  const lines = (await shownText(page)).split('\n')
  await goTo(page, `${lines.indexOf('  2: const total = 1') + 1}:8`)
  await page.keyboard.press('F12')
  await expect(tab(page, 'a.ts')).toHaveAttribute('aria-selected', 'true')
  await expect(cursorPosition(page)).toHaveText(/Ln 2/)
  await expect(tab(page, 'Search: total')).toBeVisible()
  await app.reload()
  await expect(tab(page, 'Search: total')).toBeVisible()
})

/** As VS Code saves it, with aligned numbers and the lines around a match. */
const ofVsCode = `# Query: total
# ContextLines: 1

2 results - 2 files

src/a.ts:
   9  // nine
  10: const total = 1
  11  // eleven

src/b.ts:
  1: total
`

test('a file with search results of VS Code leads to its files and matches', async ({ launch }) => {
  const lines = Array.from({ length: 20 }, (_line, index) => (index === 9 ? 'const total = 1' : `// ${index + 1}`))
  const { page } = await launch({
    files: { 'src/a.ts': lines.join('\n'), 'src/b.ts': 'total\n', 'saved.code-search': ofVsCode },
    settings: withoutServers,
  })
  const follow = async (line: string, column: number): Promise<void> => {
    await openFile(page, 'saved.code-search')
    await goTo(page, `${ofVsCode.split('\n').indexOf(line) + 1}:${column}`)
    await page.keyboard.press('F12')
  }
  await follow('  10: const total = 1', 13)
  await expect(tab(page, 'a.ts')).toHaveAttribute('aria-selected', 'true')
  await expect(cursorPosition(page)).toHaveText(/Ln 10, Col 7/)
  await follow('  11  // eleven', 8)
  await expect(cursorPosition(page)).toHaveText(/Ln 11/)
  await follow('src/b.ts:', 3)
  await expect(tab(page, 'b.ts')).toHaveAttribute('aria-selected', 'true')
})
