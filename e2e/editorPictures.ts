import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { answer, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { withoutServers } from './support/settings.ts'
import { picture, type Take } from './support/pictures.ts'
import { focusEditor, goTo, runPalette } from './support/window.ts'

const scenario: Scenario = {
  name: 'editor-pictures',
  turns: [{ prompt: /.*/s, steps: [{ title: 'tell', play: () => answer(say('Yes.')) }] }],
}
const ships = (lines: number) =>
  Array.from(
    { length: lines },
    (_, index) => `export const berth${index + 1} = { length: ${12 + index}, free: true }\n`,
  )
const small = { width: 1280, height: 560 }
const files = {
  'berths.ts': ships(40).join(''),
  'fees.ts': 'export const fees = { small: 20, large: 40 }\n\nexport const lateFee = 10\n',
  'README.md': '# Harbour\n\nBerths and fees of a small harbour.\n',
}

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('treeitem', { name }).dblclick()
  await page
    .getByRole('tab', { name: new RegExp(`^${name}`) })
    .first()
    .waitFor()
}

/** Takes pictures of editor groups with pinned tabs, marks in a terminal, and the timeline of a file. */
export async function editorPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const settings = {
    ...withoutServers,
    localHistory: { enabled: true, mergeWindow: 0, maxFileEntries: 50, maxFileSize: 256 },
  }
  const viewport = { width: 1280, height: 860 }
  await picture(browser, theme, { files, scenario, settings, viewport }, async (page) => {
    await page.getByRole('treeitem', { name: 'README.md' }).waitFor()
    await runPalette(page, 'Toggle chat panel')
    await open(page, 'README.md')
    await runPalette(page, 'Pin or unpin tab')
    await open(page, 'berths.ts')
    await runPalette(page, 'Split editor right')
    await open(page, 'fees.ts')
    await runPalette(page, 'Split editor down')
    await page.locator('.editor-group').nth(2).waitFor()
    await runPalette(page, 'New terminal')
    await page.getByRole('textbox', { name: /^Terminal: / }).waitFor()
    for (const line of ['wc -l *.ts', 'cat missing.txt']) {
      await page.keyboard.type(`${line}\n`)
      await page
        .locator('.job-mark')
        .nth(line.startsWith('wc') ? 0 : 1)
        .waitFor()
    }
    await page.locator('.job-mark[data-state=failed]').waitFor()
    await take(page, 'editor-groups', page.locator('body'))
  })
  await picture(browser, theme, { files, scenario, settings, viewport }, async (page) => {
    await page.getByRole('treeitem', { name: 'README.md' }).waitFor()
    await runPalette(page, 'Toggle chat panel')
    await open(page, 'fees.ts')
    for (const fee of ['12', '15']) {
      await page.locator('.monaco-editor').first().click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type(`// ${fee}\n`)
      await page.keyboard.press('Control+s')
      await page.getByRole('tab', { name: 'fees.ts', exact: true }).waitFor()
    }
    await runPalette(page, 'Show timeline')
    const versions = page.getByRole('listbox', { name: 'Versions' }).getByRole('option')
    await versions.last().click()
    // Both sides have their colors.
    for (const side of ['original', 'modified'])
      await page
        .locator(`.monaco-diff-editor .${side} .view-line span`, { hasText: /^export$/ })
        .first()
        .waitFor()
    await take(page, 'timeline', page.locator('body'))
  })
  await picture(browser, theme, { files, scenario, settings, viewport }, async (page, _git, _endpoint, workspace) => {
    const folder = join(dirname(workspace), 'user', '.config', 'Code', 'User')
    await mkdir(folder, { recursive: true })
    await writeFile(
      join(folder, 'settings.json'),
      '{ "editor.fontSize": 15, "editor.rulers": [100], "workbench.iconTheme": "seti", "gitlens.hovers.enabled": false }',
    )
    await writeFile(
      join(folder, 'keybindings.json'),
      JSON.stringify([{ key: 'ctrl+alt+k', command: 'workbench.action.splitEditorDown' }]),
    )
    await page.getByRole('treeitem', { name: 'README.md' }).waitFor()
    await runPalette(page, 'Toggle chat panel')
    await runPalette(page, 'Import settings from VS Code')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('tab', { name: /^# Imported from VS Code/ }).waitFor()
    await page.getByText('Not imported').first().waitFor()
    await take(page, 'import-report', page.locator('body'))
  })
  await picture(browser, theme, { files, scenario, settings, viewport: small }, async (page) => {
    await page.getByRole('treeitem', { name: 'README.md' }).waitFor()
    await runPalette(page, 'Toggle chat panel')
    await open(page, 'fees.ts')
    await runPalette(page, 'Color theme')
    await page.getByRole('option', { name: 'High contrast dark' }).waitFor()
    const preview = page.locator(`html[data-theme="hc-${theme}"]`)
    while (!(await preview.isVisible())) {
      await page.keyboard.press('ArrowDown')
      await page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)))
    }
    await take(page, 'theme-picker', page.locator('body'))
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Shift+F')
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill('fee')
    await page
      .getByText(/matches in 2 files/)
      .first()
      .waitFor()
    await runPalette(page, 'Open search results in an editor')
    await page.locator('.view-line', { hasText: '# Query: fee' }).waitFor()
    await take(page, 'search-editor', page.locator('body'))
  })
  await emmetPicture(browser, theme, take)
}

/** Takes a picture of an Emmet abbreviation with what it expands to. */
async function emmetPicture(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const page = { 'index.html': '<body>\n  <h1>Berths</h1>\n\n</body>\n' }
  const settings = {
    ...withoutServers,
    emmet: { showExpandedAbbreviation: 'always', triggerExpansionOnTab: true },
  } as const
  await picture(
    browser,
    theme,
    { files: page, scenario, settings, viewport: { width: 1280, height: 360 } },
    async (shown) => {
      await shown.getByRole('treeitem', { name: 'index.html' }).waitFor()
      await runPalette(shown, 'Toggle chat panel')
      await open(shown, 'index.html')
      await runPalette(shown, 'Toggle side bar')
      await focusEditor(shown)
      await goTo(shown, '3:1')
      await shown.keyboard.type('  ul.berths>li.free$*3')
      await shown.locator('.suggest-widget').getByText('ul.berths').first().waitFor()
      // The details stay open once they were shown.
      const details = shown.locator('.suggest-details', { hasText: 'free3' })
      if (!(await details.isVisible())) await shown.keyboard.press('Control+Space')
      await details.waitFor()
      await take(shown, 'emmet', shown.locator('.editor-group'))
    },
  )
}
