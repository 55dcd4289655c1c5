import { settingsSchema } from '../src/shared/settings/settings.ts'
import { expect, test } from './support/app.ts'
import { withoutServers } from './support/settings.ts'
import { focusEditor, openFile, runPalette, shownText } from './support/window.ts'

test('Emmet suggests, expands and wraps abbreviations where markup and properties stand', async ({ launch }) => {
  const { page } = await launch({
    files: {
      'page.html': '<body>\n</body>\n',
      'look.css': 'p\n',
      'view.tsx': 'const view = (items: string[]) => (\n',
      'n.ts': '',
    },
    settings: { ...withoutServers, emmet: { showExpandedAbbreviation: 'always', triggerExpansionOnTab: true } },
  })
  const suggestions = page.locator('.suggest-widget')

  await openFile(page, 'page.html')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('ul>li.item$*2')
  await expect(suggestions.getByRole('option', { name: /^ul>li\.item\$\*2/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.keyboard.type('one')
  await page.keyboard.press('Tab')
  await page.keyboard.type('two')
  await expect.poll(() => shownText(page)).toContain('<li class="item1">one</li>')
  await expect.poll(() => shownText(page)).toContain('<li class="item2">two</li>')

  await page.keyboard.press('Control+End')
  await page.keyboard.type('some words')
  await page.keyboard.press('Escape')
  await runPalette(page, 'Wrap with Emmet abbreviation')
  await page.keyboard.type('div.note')
  await page.keyboard.press('Enter')
  await expect.poll(() => shownText(page)).toContain('<div class="note">some words</div>')

  await openFile(page, 'look.css')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('End')
  await page.keyboard.type(' {')
  await page.keyboard.press('Enter')
  await page.keyboard.type('m10')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect.poll(() => shownText(page)).toContain('margin: 10px;')

  await openFile(page, 'view.tsx')
  await focusEditor(page)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('section.main')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect.poll(() => shownText(page)).toContain('<section className="main"></section>')
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' + items.length')
  await page.keyboard.press('Escape')
  await runPalette(page, 'Expand Emmet abbreviation')
  await expect(page.getByText('There is no Emmet abbreviation before the cursor.')).toBeVisible()
})

/** The other settings have their defaults. */
const { editor: editorSettings } = settingsSchema.parse({ editor: { languages: { html: { linkedEditing: true } } } })

test('renaming an opening tag renames the closing one, if the setting is on for the language', async ({ launch }) => {
  const { page } = await launch({
    files: { 'page.html': '<main><p>a</p>\n</main>\n' },
    settings: { ...withoutServers, editor: editorSettings },
  })
  await openFile(page, 'page.html')
  await focusEditor(page)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('.linked-editing-decoration')).toHaveCount(2)
  await page.keyboard.press('Control+Shift+ArrowRight')
  await page.keyboard.type('my-page')
  await expect.poll(() => shownText(page)).toContain('</my-page>')
  await page.keyboard.type(' id="x"')
  await expect.poll(() => shownText(page)).toContain('<my-page id="x"><p>a</p>')
  expect(await shownText(page)).toContain('</my-page>')
  await page.screenshot({ path: test.info().outputPath('linked.png') })
})
