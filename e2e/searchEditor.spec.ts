import { checkView, inEditors } from './support/accessibility.ts'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { cursorPosition, goTo, runPalette, shownText, tab } from './support/window.ts'

test('search results open in an editor, whose lines lead to the matches, by keyboard alone', async ({ launch }) => {
  const { page } = await launch({
    files: { 'src/a.ts': 'one\nconst total = 1\n', 'src/b.ts': 'total\n', 'c.txt': 'none\n' },
    settings: withoutServers,
  })
  await page.keyboard.press('Control+Shift+F')
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
})
