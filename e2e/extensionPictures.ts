import type { Browser } from 'playwright'
import { answer, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { blade, files, install } from './support/bladeExtension.ts'
import { picture, type Take } from './support/pictures.ts'
import { withoutServers } from './support/settings.ts'
import { openFile, runPalette } from './support/window.ts'

const scenario: Scenario = {
  name: 'extension-pictures',
  turns: [{ prompt: /.*/s, steps: [{ title: 'tell', play: () => answer(say('Yes.')) }] }],
}

/** Takes a picture of the page of the extensions beside a file that one of them colors. */
export async function extensionPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const viewport = { width: 1280, height: 720 }
  await picture(browser, theme, { files, scenario, settings: withoutServers, viewport }, async (page) => {
    await page.getByRole('treeitem', { name: 'a.bld' }).waitFor()
    await runPalette(page, 'Toggle chat panel')
    await openFile(page, 'a.bld')
    await install(page, blade)
    await page.getByText('Installed Blade tools.').waitFor()
    await runPalette(page, 'File icon theme')
    await page.getByRole('dialog', { name: 'File icon theme' }).waitFor()
    await page.keyboard.type('Steel')
    await page.keyboard.press('Enter')
    await page.getByRole('treeitem', { name: 'a.bld' }).locator('.ui-file-icon').waitFor()
    await runPalette(page, 'Split editor right')
    await runPalette(page, 'Extensions')
    await page.getByText('2 parts not used').click()
    await page.getByText('Installed Blade tools.').waitFor({ state: 'hidden' })
    await take(page, 'extensions', page.locator('body'))
  })
}
