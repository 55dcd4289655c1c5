import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { extractArchive, packApplication } from '../../scripts/testing/packedApplication.ts'
import { expect, test } from '../support/app.ts'
import { editor, focusEditor, openFile, tab } from '../support/window.ts'
import { launchDesktop } from './desktop.ts'
import { trustFolder } from '../support/trust.ts'

const files = {
  'src/users.ts': 'export class UserStore {\n  add(name: string): string {\n    return name\n  }\n}\n',
  'src/wrong.ts': "export const count: number = 'three'\n",
  'notes.txt': 'a needle in the notes\n',
}

/** TypeScript's program, which is its language server. */
const tsc = /@typescript\/typescript-[^/]+\/lib\/tsc$/

/**
 * Replaces ripgrep and TypeScript's program below a folder by a file that cannot be started: in an archive, Electron can resolve it but not
 * start it.
 */
async function disablePrograms(folder: string): Promise<void> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'))
  const programs = names.filter((name) => name.endsWith('/bin/rg') || tsc.test(name))
  expect(programs).toHaveLength(2)
  for (const name of programs) await chmod(join(folder, name), 0o644)
}

test(
  'the packaged application works from a folder that contains nothing else: search, symbols, errors, terminal, edit',
  { tag: '@long' },
  async ({ context }) => {
    test.skip(process.platform !== 'linux', 'electron-builder packs for Linux around a stand-in for the binary')
    test.setTimeout(10 * 60_000)
    const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-packaged-')))
    try {
      const resources = await packApplication(join(home, 'pack'))
      // The archive becomes a folder of the same name, because only Electron reads files in archives. Files beside it
      // stay there.
      const installed = join(home, 'installed', 'resources')
      await extractArchive(join(resources, 'app.asar'), join(installed, 'app.asar'))
      await rename(join(resources, 'app.asar.unpacked'), join(installed, 'app.asar.unpacked'))
      await disablePrograms(join(installed, 'app.asar'))

      const [workspace, userData] = [join(home, 'workspace'), join(home, 'user')]
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(workspace, name)), { recursive: true })
        await writeFile(join(workspace, name), text)
      }
      await trustFolder(userData, workspace)
      const env = {
        ...process.env,
        HOME: userData,
        TIZONA_USER_DATA: userData,
        TIZONA_NO_DISCOVERY: '1',
        NODE_PATH: '',
      }
      const desktop = await launchDesktop({
        app: join(installed, 'app.asar'),
        args: [workspace],
        packaged: true,
        cwd: userData,
        context,
        env,
        state: join(home, 'system'),
      })
      try {
        const page = await desktop.page()
        await expect(page.locator('.workbench')).toBeVisible()

        await page.keyboard.press('Control+Shift+f')
        await page.locator('#search-query').fill('needle')
        await expect(page.getByText('1 match in 1 file')).toBeVisible()

        await openFile(page, 'src/users.ts')
        await page.keyboard.press('Control+Alt+o')
        await expect(page.getByRole('treeitem', { name: /UserStore/ })).toBeVisible()
        // TypeScript's server, whose program is beside the archive.
        await openFile(page, 'src/wrong.ts')
        await expect(editor(page).locator('.squiggly-error')).toHaveCount(1)
        await page.keyboard.press('F8')
        await expect(editor(page)).toContainText("Type 'string' is not assignable to type 'number'")
        await page.keyboard.press('Escape')
        await openFile(page, 'src/users.ts')
        await focusEditor(page)
        await page.keyboard.press('Control+Home')
        await page.keyboard.type('// edited\n')
        await page.keyboard.press('Control+s')
        await expect(tab(page, 'users.ts')).toHaveAccessibleName('users.ts')
        expect(await readFile(join(workspace, 'src/users.ts'), 'utf8')).toBe(`// edited\n${files['src/users.ts']}`)

        await page.keyboard.press('F1')
        await page.getByRole('combobox').fill('new terminal')
        await page.keyboard.press('Enter')
        const terminal = page.getByTestId('terminal')
        await expect(terminal).toHaveAttribute('data-live', 'true')
        await expect(terminal.locator('.xterm-helper-textarea')).toBeFocused()
        await page.keyboard.type('echo from-the-package > proof.txt\n')
        await expect
          .poll(() => readFile(join(workspace, 'proof.txt'), 'utf8').catch(() => ''))
          .toBe('from-the-package\n')
      } finally {
        await desktop.end()
      }
    } finally {
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    }
  },
)
