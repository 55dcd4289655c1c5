import type { BrowserContext, Page } from '@playwright/test'
import { openHostedPage, type HostOptions } from './hostedPage.ts'
import type { ElectronSide, TestSide } from './operations.ts'
import type { PageDelivery } from './page/preloadWorld.ts'
import type { Peer } from './peer.ts'

/** Chromium's side of one of the application's windows. */
export interface HostedWindow {
  readonly id: number
  /** The current page. It is replaced after a crash. */
  readonly page: Page
  load(url: string): Promise<void>
  reload(): Promise<void>
  /** Sends a message to the isolated world. */
  deliver(text: string): void
  /** Runs one of Chromium's editing commands. */
  edit(command: string): Promise<void>
  /** Closes the page unless its `beforeunload` handler prevents that. @returns whether the page is closed */
  close(): Promise<boolean>
  /** Closes the page without running `beforeunload`. */
  destroy(): Promise<void>
  /** Crashes the page's process. */
  crash(): Promise<void>
  /** Drops files from the file manager at a position in the page. */
  drop(files: string[], x: number, y: number): Promise<void>
}

/** Creates a real page for one of the application's windows and reports its events. */
export async function hostWindow(options: HostOptions): Promise<HostedWindow> {
  const { id, scripts } = options
  let hosted = await openHostedPage(options)

  /** Resolves when the isolated world has the message, or the document is gone. */
  async function deliver(text: string): Promise<void> {
    const { session, world, crashed } = hosted
    if (world === null || crashed) return
    await session
      .send('Runtime.callFunctionOn', {
        executionContextId: world,
        functionDeclaration: `(text) => ${scripts.deliver}(text)`,
        arguments: [{ value: text }],
      })
      .then(
        ({ exceptionDetails }) => {
          if (exceptionDetails !== undefined)
            console.error(
              'The preload script failed to handle a message:',
              exceptionDetails.exception?.description ?? exceptionDetails.text,
            )
        },
        (error: unknown) => {
          // The document may be replaced before the message arrives.
          if (!/context|closed|crashed/i.test(String(error))) console.error(error)
        },
      )
  }

  return {
    id,
    get page() {
      return hosted.page
    },
    async load(url) {
      if (hosted.crashed) hosted = await openHostedPage(options)
      await hosted.page.goto(url, { waitUntil: 'load', timeout: 0 })
    },
    async reload() {
      await hosted.page.reload({ waitUntil: 'commit' })
    },
    deliver: (text) => void deliver(text),
    async edit(command) {
      await hosted.session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', commands: [command] })
    },
    async close() {
      const closing = hosted
      if (closing.crashed) return true
      const ended = new Promise<boolean>((resolve) => {
        closing.onStay = () => resolve(false)
        closing.page.once('close', () => resolve(true))
      })
      closing.closing = true
      await closing.page.close({ runBeforeUnload: true })
      closing.closing = await ended
      return closing.closing
    },
    async destroy() {
      hosted.closing = true
      await hosted.page.close()
    },
    async crash() {
      const crashed = hosted.page.waitForEvent('crash')
      // Chromium does not answer, because the process that would answer ends.
      hosted.session.send('Page.crash').catch(() => undefined)
      await crashed
    },
    async drop(files, x, y) {
      const paths = Object.fromEntries(files.map((file) => [file.split(/[\\/]/).at(-1) ?? file, file]))
      const dropped: PageDelivery = { kind: 'dropped', paths }
      await deliver(JSON.stringify(dropped))
      const data = { items: [], files, dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await hosted.session.send('Input.dispatchDragEvent', { type, x, y, data })
    },
  }
}

/** Creates the operations that the application calls on its hosted windows. */
export function windowOperations(
  context: BrowserContext,
  electron: () => Peer<ElectronSide>,
  windows: Map<number, Promise<HostedWindow>>,
  events: Pick<TestSide, 'dialogShown'>,
): TestSide {
  const of = (id: number): Promise<HostedWindow> =>
    windows.get(id) ?? Promise.reject(new Error(`There is no window ${id}.`))
  return {
    ...events,
    async openWindow({ id, scripts, width, height }) {
      const made = hostWindow({ context, electron: electron(), id, scripts, size: { width, height } })
      windows.set(id, made)
      await made
    },
    load: async ({ window, url }) => (await of(window)).load(url),
    reload: async ({ window }) => (await of(window)).reload(),
    deliver: async ({ window, text }) => (await of(window)).deliver(text),
    async resize({ window, width, height }) {
      const { page } = await of(window)
      await page.setViewportSize({ width, height }).catch((error: unknown) => {
        // The window may close before it is resized.
        if (!page.isClosed()) throw error
      })
    },
    edit: async ({ window, name }) => (await of(window)).edit(name),
    closePage: async ({ window }) => (await of(window)).close(),
    async destroyPage({ window }) {
      await (await of(window)).destroy()
      windows.delete(window)
    },
    grant: async ({ origin, granted }) => context.grantPermissions(granted, { origin }),
  }
}
