import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { _electron, expect, test as base, type ElectronApplication, type Page } from '@playwright/test'
import type { Settings } from '../../src/shared/settings.ts'
import { startScriptedEndpoint } from '../../src/main/model/scripted/scriptedEndpoint.ts'
import type { Scenario } from '../../src/main/model/scripted/scenario.ts'
import { launchDesktop, type Desktop } from '../desktop/desktop.ts'
import { end, printedAddress } from './shell.ts'

/** The clone's root; Playwright runs from there. */
const root = process.cwd()

/** A workspace and a model to start with. */
export interface LaunchOptions {
  /** Path -> text. */
  files?: Record<string, string | Buffer>
  /** What the scripted endpoint plays; without one no endpoint is configured. */
  scenario?: Scenario
  settings?: Partial<Settings>
  /** Start without opening the folder. */
  noFolder?: boolean
}

/** For a story about what only the browser host has: an address, a connection that drops, other servers beside it. */
export const onlyBrowser = { tag: '@only-browser' }
/** For a story with a dialog of the system, which no script can click on real Electron. */
export const notElectron = { tag: '@not-electron' }

export interface App {
  page: Page
  /** Real path of the throw-away workspace. */
  workspace: string
  endpoint?: Awaited<ReturnType<typeof startScriptedEndpoint>>
  /** The browser shell's one-time address, used by now; empty elsewhere. */
  address: string
  /** What only the desktop has: menu, dialogs, window. In the desktop harness. */
  desktop?: Desktop
  /** Loads the window again, as the user's F5 does. */
  reload(): Promise<void>
  /** Ends Tizona with a signal and starts it again with the same folders. `page` is the new window from then on. */
  restart(signal: NodeJS.Signals, meanwhile?: () => Promise<void>): Promise<void>
  path(name: string): string
}

/** A process of Tizona with its window. */
interface Started {
  page: Page
  address: string
  desktop?: Desktop
  kill(signal: NodeJS.Signals): Promise<void>
}

type Launch = (options?: LaunchOptions) => Promise<App>

/**
 * `launch` starts the built product on a throw-away workspace and user data folder, in the window host of the running project
 * (browser, desktop harness or Electron), and ends everything it started.
 */
export const test = base.extend<{ launch: Launch }>({
  launch: async ({ context }, use, info) => {
    const cleanups: (() => Promise<unknown>)[] = []
    const launch: Launch = async (options = {}) => {
      const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-e2e-')))
      cleanups.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
      const workspace = join(home, 'workspace')
      const userData = join(home, 'user')
      await writeFiles(workspace, options.files ?? {})
      const endpoint = options.scenario ? await startScriptedEndpoint(options.scenario) : undefined
      if (endpoint) cleanups.push(() => endpoint.close())
      await writeFiles(userData, { 'settings.json': JSON.stringify(settings(endpoint?.url, options.settings)) })

      // A home of its own: a terminal in a story must not run, or disturb, the start files of whoever runs the tests.
      const env = { ...process.env, HOME: userData, TIZONA_USER_DATA: userData, TIZONA_NO_DISCOVERY: '1' }
      const args = options.noFolder ? [] : [workspace]
      const start = async (): Promise<Started> => {
        if (info.project.name === 'desktop') {
          const desktop = await launchDesktop({
            app: join(root, 'out/main/index.js'),
            args,
            context,
            env,
            state: join(home, 'system'),
          })
          cleanups.push(() => desktop.end())
          return { page: await desktop.page(), address: '', desktop, kill: (signal) => end(desktop.process, signal) }
        }
        if (info.project.name === 'electron') {
          const app: ElectronApplication = await _electron.launch({
            args: [join(root, 'out/main/index.js'), ...args],
            env,
          })
          cleanups.push(() => app.close())
          return { page: await app.firstWindow(), address: '', kill: (signal) => end(app.process(), signal) }
        }
        const server = spawn(process.execPath, [join(root, 'out/main/serve.js'), ...args, '--no-open'], {
          env,
          stdio: ['pipe', 'pipe', 'inherit'],
        })
        cleanups.push(() => end(server))
        const page = await context.newPage()
        const address = await printedAddress(server)
        await page.goto(address)
        return { page, address, kill: (signal) => end(server, signal) }
      }
      let { page, address, kill, desktop } = await start()
      await expect(page.locator('.workbench')).toBeVisible()
      return {
        get page() {
          return page
        },
        workspace,
        endpoint,
        get address() {
          return address
        },
        get desktop() {
          return desktop
        },
        path: (name) => join(workspace, name),
        async reload() {
          await page.reload()
          await expect(page.locator('.workbench')).toBeVisible()
        },
        async restart(signal, meanwhile) {
          await kill(signal)
          await page.close()
          await meanwhile?.()
          ;({ page, address, kill, desktop } = await start())
          await expect(page.locator('.workbench')).toBeVisible()
        },
      }
    }
    await use(launch)
    for (const cleanup of cleanups.reverse()) await cleanup()
  },
})

export { expect }

async function writeFiles(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
}

function settings(url: string | undefined, change: Partial<Settings> = {}): object {
  if (!url) return change
  return {
    endpoints: [{ id: 'scripted', name: 'Scripted', kind: 'openai', baseUrl: url }],
    model: { endpointId: 'scripted', model: 'scripted' },
    ...change,
  }
}
