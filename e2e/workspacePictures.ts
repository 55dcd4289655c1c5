import type { Browser, Page } from 'playwright'
import { answer, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { picture, type Take } from './support/pictures.ts'
import { withoutServers } from './support/settings.ts'
import { runPalette } from './support/window.ts'

const scenario: Scenario = {
  name: 'workspace-pictures',
  turns: [{ prompt: /.*/s, steps: [{ title: 'tell', play: () => answer(say('Yes.')) }] }],
}
const files = {
  'berths.ts': 'export const berths = [12, 14, 18]\n',
  'src/server.ts': "import { berths } from '../berths.ts'\n\nexport const free = berths.length\n",
  'README.md': '# Harbour\n',
  '../website/index.html': '<h1>Harbour</h1>\n<p>Berths: <output></output></p>\n',
  '../website/src/server.ts': "export const page = () => 'index.html'\n",
  '../website/styles/page.css': 'h1 {\n  color: navy;\n}\n',
  '../harbour.code-workspace': JSON.stringify({ folders: [{ path: 'harbour' }, { path: 'website' }] }),
}

async function open(page: Page, path: string): Promise<void> {
  await page.keyboard.press('Control+p')
  await page.getByRole('combobox', { name: 'Go to' }).fill(path)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.monaco-editor').first().waitFor()
}

/** Takes pictures of a workspace of two folders: explorer and tabs, and source control with two repositories. */
export async function workspacePictures(browser: Browser, theme: 'dark' | 'light', take: Take): Promise<void> {
  const viewport = { width: 1280, height: 760 }
  await picture(
    browser,
    theme,
    { files, scenario, settings: withoutServers, viewport },
    async (page, git, _, folder) => {
      const website = `${folder}/../website`
      await git('-C', website, 'init', '-q', '-b', 'new-page')
      await git('-C', website, 'config', 'user.name', 'Ada')
      await git('-C', website, 'config', 'user.email', 'ada@example.org')
      await git('-C', website, 'add', '.')
      await git('-C', website, 'commit', '-q', '-m', 'Begin')
      await page.getByRole('treeitem', { name: 'README.md' }).waitFor()
      await runPalette(page, 'Open workspace from file')
      const dialog = page.getByRole('dialog', { name: 'Open workspace from file' })
      await dialog.getByRole('option', { name: 'harbour.code-workspace' }).click()
      await page.getByRole('button', { name: 'Review…' }).click()
      await page.getByRole('button', { name: 'Trust workspace' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await runPalette(page, 'Toggle chat panel')
      await open(page, 'harbour/src/server.ts')
      await runPalette(page, 'Keep tab open')
      await open(page, 'website/src/server.ts')
      await runPalette(page, 'Keep tab open')
      await page.keyboard.press('Control+End')
      await page.keyboard.type('\nexport const title = "Harbour"\n')
      await page.keyboard.press('Control+s')
      await page.locator('.explorer-mark[data-letter="M"]').first().waitFor()
      await page.getByRole('treeitem', { name: /^title\b/ }).waitFor()
      await take(page, 'workspace', page.locator('body'))
      await runPalette(page, 'Show source control')
      await page.getByRole('radiogroup', { name: 'Repositories' }).waitFor()
      await take(page, 'workspace-git', page.locator('body'))
    },
  )
}
