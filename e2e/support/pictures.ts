import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright'
import type { Scenario } from '../../src/main/model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../../src/main/model/scripted/scriptedEndpoint.ts'
import type { Settings } from '../../src/shared/settings/settings.ts'
import { end, printedAddress } from './shell.ts'
import { trustFolder } from './trust.ts'

const root = join(import.meta.dirname, '..', '..')

/** Files, scenario and settings for a picture. */
export interface Setting {
  files: Record<string, string | Buffer>
  scenario: Scenario
  settings: Partial<Settings>
  viewport: { width: number; height: number }
}
type Git = (...args: string[]) => Promise<unknown>
export type Endpoint = Awaited<ReturnType<typeof startScriptedEndpoint>>

/**
 * Saves a screenshot of a page, or of one element, under a name.
 * @param margin pixels around the element, which fits into the viewport
 */
export type Take = (page: Page, name: string, part?: Locator, margin?: number) => Promise<void>

/** Starts the built product with a temporary git repository and a scripted model, runs a story and ends everything. */
export async function picture(
  browser: Browser,
  theme: 'dark' | 'light',
  { files, scenario, settings, viewport }: Setting,
  story: (page: Page, git: Git, endpoint: Endpoint, workspace: string) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'tizona-pictures-'))
  const workspace = join(home, 'harbour')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, name)), { recursive: true })
    await writeFile(join(workspace, name), text)
  }
  const git: Git = (...args) => promisify(execFile)('git', args, { cwd: workspace })
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'Ada')
  await git('config', 'user.email', 'ada@example.org')
  await git('add', '.')
  await git('commit', '-q', '-m', 'Begin')

  const endpoint = await startScriptedEndpoint(scenario)
  const model = {
    endpoints: [{ id: 'scripted', name: 'Scripted', kind: 'openai', baseUrl: endpoint.url }],
    model: { endpointId: 'scripted', model: 'scripted' },
  }
  const userData = join(home, 'user')
  await trustFolder(userData, workspace)
  await writeFile(join(userData, 'settings.json'), JSON.stringify({ theme, ...model, ...settings }))
  // A prompt of terminals without names of this machine.
  await writeFile(join(userData, '.bashrc'), String.raw`PS1='\W$ '` + '\n')
  const server = spawn(process.execPath, [join(root, 'out/main/serve.js'), workspace, '--no-open'], {
    env: {
      ...process.env,
      HOME: userData,
      TIZONA_USER_DATA: userData,
      TIZONA_NO_DISCOVERY: '1',
      TIZONA_ALLOW_ROOT: '1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const context = await browser.newContext({ viewport, colorScheme: theme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(await printedAddress(server))
    await story(page, git, endpoint, workspace)
    await context.close()
  } finally {
    await end(server)
    await endpoint.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}
