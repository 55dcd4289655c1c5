import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { answer, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { withoutServers } from './support/settings.ts'
import { picture, type Take } from './support/pictures.ts'

const scenario: Scenario = {
  name: 'editor-pictures',
  turns: [{ prompt: /.*/s, steps: [{ title: 'tell', play: () => answer(say('Yes.')) }] }],
}
const ships = (lines: number) =>
  Array.from(
    { length: lines },
    (_, index) => `export const berth${index + 1} = { length: ${12 + index}, free: true }\n`,
  )
const files = {
  'berths.ts': ships(40).join(''),
  'fees.ts': 'export const fees = { small: 20, large: 40 }\n\nexport const lateFee = 10\n',
  'README.md': '# Harbour\n\nBerths and fees of a small harbour.\n',
}

async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('F1')
  await page.getByRole('combobox', { name: 'Command palette' }).fill(name)
  await page.keyboard.press('Enter')
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
    await command(page, 'Toggle chat panel')
    await open(page, 'README.md')
    await command(page, 'Pin or unpin tab')
    await open(page, 'berths.ts')
    await command(page, 'Split editor right')
    await open(page, 'fees.ts')
    await command(page, 'Split editor down')
    await page.locator('.editor-group').nth(2).waitFor()
    await command(page, 'New terminal')
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
    await command(page, 'Toggle chat panel')
    await open(page, 'fees.ts')
    for (const fee of ['12', '15']) {
      await page.locator('.monaco-editor').first().click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type(`// ${fee}\n`)
      await page.keyboard.press('Control+s')
      await page.getByRole('tab', { name: 'fees.ts', exact: true }).waitFor()
    }
    await command(page, 'Show timeline')
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
    await command(page, 'Toggle chat panel')
    await command(page, 'Import settings from VS Code')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('tab', { name: /^# Imported from VS Code/ }).waitFor()
    await page.getByText('Not imported').first().waitFor()
    await take(page, 'import-report', page.locator('body'))
  })
}
