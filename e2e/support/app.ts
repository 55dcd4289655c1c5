import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { _electron, chromium, expect, test as base, type ElectronApplication, type Page } from '@playwright/test'
import type { Settings } from '../../src/shared/settings/settings.ts'
import { startScriptedEndpoint } from '../../src/main/model/scripted/scriptedEndpoint.ts'
import type { Scenario } from '../../src/main/model/scripted/scenario.ts'
import { launchDesktop, type Desktop } from '../desktop/desktop.ts'
import { policyViolations } from './policyViolations.ts'
import { openSharedContext, type SharedContext } from './sharedContext.ts'
import { end, printedAddress } from './shell.ts'
import { createStoryHost, type StoryHost } from './storyHost.ts'
import { trustFolder } from './trust.ts'

/** The clone's root; Playwright runs from there. */
const root = process.cwd()

/** A workspace and a model to start with. */
export interface LaunchOptions {
  /** Path -> text. */
  files?: Record<string, string | Buffer>
  /** Scenario of the scripted endpoint. Default: no endpoint is configured. */
  scenario?: Scenario
  settings?: Partial<Settings>
  /** Whether to trust the folder, which enables commands and the folder's own configuration. Default: true. */
  trust?: boolean
  /** Prepares the workspace after its files are written, before Tizona starts. */
  prepare?: (workspace: string) => Promise<void>
  /** Whether the home folder is empty and apart from the user data, so that a folder in it can be opened. Default: false. */
  ownHome?: boolean
  /** Whether Tizona finds the scenario's endpoint itself, instead of in the settings. Default: false. */
  discovers?: boolean
  /** Whether to start without opening the folder. */
  noFolder?: boolean
  /**
   * Whether the browser host runs in a process of its own instead of that of the worker's other stories: for stories that
   * kill or restart it, or that measure or damage its process. Default: false.
   */
  ownProcess?: boolean
}

/** Tag for stories about the browser host only: its address, lost connections, other servers on the machine. */
export const onlyBrowser = { tag: '@only-browser' }
/** Tag for stories whose content unit tests mostly hold. A short run leaves them out. */
export const long = { tag: '@long' }
/** Tag for stories with a system dialog, which scripts cannot click on real Electron. */
export const notElectron = { tag: '@not-electron' }

export interface App {
  page: Page
  /** Real path of the temporary workspace. */
  workspace: string
  endpoint?: Awaited<ReturnType<typeof startScriptedEndpoint>>
  /** The one-time address of the browser host, which is already used; '' on other hosts. */
  address: string
  /** Menu, dialogs and window of the desktop harness; undefined on other hosts. */
  desktop?: Desktop
  /** Violations of the content security policy so far. A story that causes some on purpose clears the list. */
  violations: string[]
  /** Reloads the window like F5. */
  reload(): Promise<void>
  /**
   * Ends Tizona with a signal and starts it again with the same folders. `page` is the new window from then on. Requires
   * `ownProcess`.
   */
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
 * `launch` starts the built product with a temporary workspace and user data folder on the host of the running project
 * (browser, desktop harness or Electron), and ends everything that it started.
 */
export const test = base.extend<{ launch: Launch }, { shared: SharedContext | null; host: StoryHost }>({
  // Opened for stories in the browser, not for those of another host.
  shared: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from this pattern
    async ({}, use, { project }) => {
      const { viewport, contextOptions } = project.use
      const shared =
        project.name === 'browser' ? await openSharedContext({ viewport: viewport ?? null, ...contextOptions }) : null
      await use(shared)
      await shared?.close()
    },
    { scope: 'worker' },
  ],
  host: [
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const host = createStoryHost(join(root, 'out/main/storyHost.js'))
      await use(host)
      await host.end()
    },
    { scope: 'worker' },
  ],
  // The browser of the shared profile also opens the pages of stories with options of their own; a second one costs
  // time and memory.
  browser: [
    async ({ shared, launchOptions, headless }, use) => {
      const browser = shared?.context.browser() ?? (await chromium.launch({ ...launchOptions, headless }))
      await use(browser)
      if (shared === null) await browser.close()
    },
    { scope: 'worker' },
  ],
  context: async ({ shared, context, viewport, deviceScaleFactor, bypassCSP }, use, info) => {
    const ownOptions = viewport !== info.project.use.viewport || deviceScaleFactor !== undefined || bypassCSP
    if (shared === null || ownOptions) return use(context)
    await use(shared.context)
    await shared.reset()
  },
  launch: async ({ context, shared, host }, use, info) => {
    let sharedPort = shared?.context === context ? shared.port : 0
    const cleanups: (() => Promise<unknown>)[] = []
    const violations = await policyViolations(context)
    const launch: Launch = async (options = {}) => {
      const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-e2e-')))
      cleanups.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
      const workspace = join(home, 'workspace')
      const userData = join(home, 'user')
      await writeFiles(workspace, options.files ?? {})
      await mkdir(join(home, 'home'))
      await options.prepare?.(workspace)
      const endpoint = options.scenario ? await startScriptedEndpoint(options.scenario) : undefined
      if (endpoint) cleanups.push(() => endpoint.close())
      if (options.trust ?? true) await trustFolder(userData, workspace)
      await writeFiles(userData, {
        'settings.json': JSON.stringify(settings(options.discovers ? undefined : endpoint?.url, options.settings)),
      })

      const env = environment(home, options, endpoint?.url)
      const args = options.noFolder ? [] : [workspace]
      // A second Tizona of the story uses any free port.
      const port = sharedPort
      sharedPort = 0
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
        if (options.ownProcess !== true && !host.busy) {
          const usesShared = shared?.context === context
          cleanups.push(() => host.stop())
          const address = await host.start({ env, port, folder: options.noFolder ? undefined : workspace })
          const page = await (usesShared ? shared.page() : context.newPage())
          if (usesShared) cleanups.push(shared.leaveWindow)
          await page.goto(address)
          return { page, address, kill: () => Promise.reject(new Error('Pass ownProcess to launch() to end Tizona.')) }
        }
        const server = spawn(
          process.execPath,
          [join(root, 'out/main/serve.js'), ...args, '--no-open', '--port', String(port)],
          { env, stdio: ['pipe', 'pipe', 'inherit'] },
        )
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
        violations,
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
    expect(violations, 'violations of the content security policy').toEqual([])
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

/** @param home folder of the story. @param url address of its endpoint */
function environment(home: string, { ownHome, discovers }: LaunchOptions, url?: string) {
  const userData = join(home, 'user')
  return {
    ...process.env,
    // A temporary home, so that terminals do not run or change the developer's shell start-up files.
    HOME: ownHome ? join(home, 'home') : userData,
    TIZONA_USER_DATA: userData,
    TIZONA_NO_DISCOVERY: discovers ? '' : '1',
    // Discovery also looks at this address, so the story needs no usual port.
    OLLAMA_HOST: discovers && url !== undefined ? new URL(url).host : '',
    TIZONA_ALLOW_ROOT: '1',
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
