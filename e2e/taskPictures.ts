import type { Browser } from 'playwright'
import { picture, type Take } from './support/pictures.ts'
import { withoutServers } from './support/settings.ts'
import { runPalette } from './support/window.ts'

const files = {
  'package.json': '{ "name": "harbour", "type": "module", "scripts": { "test": "node --test" } }\n',
  'fees.test.js': "import { test } from 'node:test'\n\ntest('fees of small ships', () => {})\n",
  'fees.js': 'export const fees = { small: 20, large: 40 }\n',
}

/** Takes a picture of commands with their exit codes in a terminal, and the list of recent ones. */
export async function taskPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const scenario = { name: 'task-pictures', turns: [] }
  const viewport = { width: 1280, height: 640 }
  await picture(browser, theme, { files, scenario, settings: withoutServers, viewport }, async (page) => {
    await page.getByRole('treeitem', { name: 'fees.js', exact: true }).waitFor()
    await runPalette(page, 'Toggle chat panel')
    await runPalette(page, 'New terminal')
    await page.getByRole('textbox', { name: /^Terminal: / }).waitFor()
    const marks = page.locator('.job-mark:not([data-state="running"])')
    for (const [index, line] of ['git status --short', 'node fees.js', 'grep lateFee fees.js'].entries()) {
      await page.keyboard.type(`${line}\n`)
      await marks.nth(index).waitFor()
    }
    await runPalette(page, 'Run recent command')
    await page.getByRole('dialog', { name: 'Run recent command' }).getByRole('option').nth(2).waitFor()
    await take(page, 'recent-commands', page.locator('body'))
  })
}
