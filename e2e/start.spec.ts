import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onlyBrowser, test } from './support/app.ts'
import { endGroup, printedAddress } from './support/shell.ts'
import { focusEditor, openFile, tab } from './support/window.ts'

const run = promisify(execFile)
const root = process.cwd()

test(
  'npm start installs, builds and starts a clean copy, in which a file is edited and saved',
  onlyBrowser,
  async ({ page }) => {
    test.setTimeout(15 * 60_000)
    const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-clean-')))
    const copy = join(home, 'tizona')
    const long = process.env['TIZONA_TEST_LONG'] === '1'
    const workspace = join(home, 'workspace')
    try {
      const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
        cwd: root,
        maxBuffer: 64 * 1024 * 1024,
      })
      const names = stdout.split('\0').filter(Boolean)
      for (const folder of new Set(names.map((name) => dirname(join(copy, name)))))
        await mkdir(folder, { recursive: true })
      for (const name of names) {
        // Tracked but deleted in this work tree: not part of the copy.
        await copyFile(join(root, name), join(copy, name)).catch((error: unknown) => {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
        })
      }
      if (!long) {
        // A run on a fresh clone has just installed the packages and built the sources. The long form installs and
        // builds again in the copy.
        const linked = process.platform === 'linux' ? '-al' : '-a'
        await run('cp', [linked, join(root, 'node_modules'), join(root, 'out'), copy])
        await rm(join(copy, 'out/.built'))
        await writeFile(join(copy, 'out/.built'), '')
      }
      await mkdir(workspace)
      await writeFile(join(workspace, 'hello.txt'), 'hello\n')
      // Always the browser host, so that the test does not depend on an installed Electron.
      const server = spawn('npm', ['start', '--', workspace, '--no-open'], {
        cwd: copy,
        detached: true,
        env: {
          ...process.env,
          TIZONA_USER_DATA: join(home, 'user'),
          TIZONA_SHELL: 'browser',
          TIZONA_NO_DISCOVERY: '1',
          TIZONA_ALLOW_ROOT: '',
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      try {
        await page.goto(await printedAddress(server))
        await expect(page.locator('.workbench')).toBeVisible()
        if (process.getuid?.() === 0) await expect(page.getByText('Tizona is running as root')).toBeVisible()
        await openFile(page, 'hello.txt')
        await focusEditor(page)
        await page.keyboard.press('Control+End')
        await page.keyboard.type('from a clean copy')
        await page.keyboard.press('Control+s')
        await expect(tab(page, 'hello.txt')).toHaveAccessibleName('hello.txt')
        expect(await readFile(join(workspace, 'hello.txt'), 'utf8')).toBe('hello\nfrom a clean copy')
      } finally {
        await endGroup(server)
      }
    } finally {
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    }
  },
)
