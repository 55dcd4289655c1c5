import type { Browser } from 'playwright'
import { answer, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { packZip } from '../src/main/testing/packZip.ts'
import { forgePlugin } from './support/forgePlugin.ts'
import { picture, type Take } from './support/pictures.ts'
import { withoutServers } from './support/settings.ts'
import { runPalette } from './support/window.ts'

const scenario: Scenario = {
  name: 'plugin-pictures',
  turns: [{ prompt: /.*/s, steps: [{ title: 'tell', play: () => answer(say('Yes.')) }] }],
}
/** A later version, with a hook that checks more. */
const update = {
  ...forgePlugin,
  '.claude-plugin/plugin.json': forgePlugin['.claude-plugin/plugin.json'].replace('1.0.0', '1.1.0'),
  'scripts/check.sh': forgePlugin['scripts/check.sh'].replace('"melt"', '-e melt -e scrap'),
}

/** Takes a picture of the page of the plug-ins with an update of one. */
export async function pluginPictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const viewport = { width: 1280, height: 1000 }
  await picture(
    browser,
    theme,
    { files: { 'a.txt': 'a\n' }, scenario, settings: withoutServers, viewport },
    async (page) => {
      await page.getByRole('treeitem', { name: 'a.txt' }).waitFor()
      await runPalette(page, 'Toggle chat panel')
      const add = async (files: Readonly<Record<string, string>>) => {
        const chooser = page.waitForEvent('filechooser')
        await runPalette(page, 'Add plug-in from ZIP')
        await (
          await chooser
        ).setFiles({ name: 'forge.zip', mimeType: 'application/zip', buffer: Buffer.from(packZip(files)) })
      }
      await add(forgePlugin)
      await page.getByRole('button', { name: 'Trust forge…' }).click()
      await page.getByRole('button', { name: 'Trust plug-in' }).click()
      await page.getByText('1.0.0 · trusted').waitFor()
      await add(update)
      await page.getByRole('region', { name: 'Changes in scripts/check.sh' }).waitFor()
      await page.getByText('The plug-in forge has an update.').waitFor({ state: 'hidden', timeout: 60_000 })
      await take(page, 'plugins', page.locator('body'))
    },
  )
}
