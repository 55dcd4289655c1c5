import type { BrowserContext, CDPSession, Page } from '@playwright/test'
import type { ElectronSide, TestSide } from './operations.ts'
import type { PageScripts } from './page/scripts.ts'
import type { PageDelivery } from './page/preloadWorld.ts'
import type { Peer } from './peer.ts'

interface HostedPage {
  page: Page
  session: CDPSession
  /** Chromium's id of its main frame. */
  mainFrame: string
  /** The isolated world of the document that is shown; null between documents. */
  world: number | null
  /** The address of that document. */
  url: string
}

/** A window's page, which changes when its process crashed. */
export interface HostedWindow {
  readonly id: number
  readonly page: Page
  load(url: string): Promise<void>
  reload(): Promise<void>
  deliver(text: string): void
  edit(command: string): Promise<void>
  close(): Promise<boolean>
  destroy(): Promise<void>
  crash(): Promise<void>
  drop(files: string[], x: number, y: number): Promise<void>
}

interface HostOptions {
  context: BrowserContext
  electron: Peer<ElectronSide>
  id: number
  scripts: PageScripts
  size: { width: number; height: number }
}

/** Makes a real page for one of the application's windows and reports what happens in it. */
export async function hostWindow({ context, electron, id, scripts, size }: HostOptions): Promise<HostedWindow> {
  const window = id
  let hosted = await openPage()
  let crashed = false
  let closing = false
  /** The page that was to be closed stays. */
  let stays = (): void => {}

  async function openPage(): Promise<HostedPage> {
    const page = await context.newPage()
    await page.setViewportSize(size)
    const session = await context.newCDPSession(page)
    const { frameTree } = await session.send('Page.getFrameTree')
    const made: HostedPage = { page, session, mainFrame: frameTree.frame.id, world: null, url: frameTree.frame.url }
    listen(made)
    await session.send('Page.enable')
    await session.send('Runtime.enable')
    await session.send('Runtime.addBinding', { name: scripts.binding, executionContextName: scripts.world })
    await session.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.page })
    await session.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.preload, worldName: scripts.world })
    // Documents alone are held, so that the application may refuse them; what they load passes freely.
    await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
    return made
  }

  function listen(made: HostedPage): void {
    const { page, session } = made
    /** Frames whose page asked for another address; what is loaded otherwise the application asked for. */
    const requested = new Map<string, string>()
    session.on('Runtime.executionContextCreated', ({ context: created }) => {
      if (created.name === scripts.world && created.auxData?.frameId === made.mainFrame) made.world = created.id
    })
    session.on('Runtime.executionContextsCleared', () => {
      made.world = null
    })
    session.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === scripts.binding) electron.tell('pageMessage', { window, url: made.url, text: payload })
    })
    session.on('Page.frameRequestedNavigation', ({ frameId, url }) => requested.set(frameId, url))
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined) return
      made.url = frame.url + (frame.urlFragment ?? '')
      electron.tell('navigated', { window, url: made.url, inPage: false })
    })
    session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId !== made.mainFrame) return
      made.url = url
      electron.tell('navigated', { window, url, inPage: true })
    })
    session.on('Page.domContentEventFired', () => electron.tell('loaded', { window, stage: 'dom' }))
    session.on('Page.loadEventFired', () => electron.tell('loaded', { window, stage: 'all' }))
    session.on('Fetch.requestPaused', ({ requestId, frameId, request, redirectedRequestId }) => {
      const asked = requested.has(frameId)
      const decide = async (): Promise<void> => {
        const mainFrame = frameId === made.mainFrame
        const frameUrl =
          page
            .frames()
            .find((frame) => !mainFrame && frame.url() !== page.url())
            ?.url() ?? page.url()
        const redirect = redirectedRequestId !== undefined
        const may =
          !asked || (await electron.call('navigating', { window, url: request.url, mainFrame, redirect, frameUrl }))
        if (may) await session.send('Fetch.continueRequest', { requestId })
        else await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      }
      // The page may be gone before it is decided.
      decide().catch((error: unknown) => {
        if (!closing && !crashed) console.error('A navigation could not be decided:', error)
      })
    })
    page.on('popup', (popup) => {
      const url = popup.url()
      electron
        .call('opening', { window, url })
        .then((may) => {
          if (may)
            console.error(`A window for ${url} was allowed; the desktop harness closes it (see e2e/desktop/README.md).`)
          return popup.close()
        })
        .catch((error: unknown) => console.error('A page that was opened could not be closed:', error))
    })
    page.on('dialog', (dialog) => {
      if (dialog.type() !== 'beforeunload') return void dialog.dismiss()
      electron
        .call('preventingUnload', { window })
        .then(async (leave) => {
          await (leave ? dialog.accept() : dialog.dismiss())
          if (!leave) stays()
        })
        .catch((error: unknown) => console.error('The question before leaving a page could not be answered:', error))
    })
    page.on('crash', () => {
      crashed = true
      electron.tell('pageGone', { window, reason: 'crashed' })
    })
    page.on('close', () => {
      if (hosted === made && !crashed) electron.tell('pageClosed', { window })
    })
  }

  /** @returns once the isolated world has it, or the document is gone */
  async function deliver(text: string): Promise<void> {
    const { session, world } = hosted
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
              'The preload script failed at a message:',
              exceptionDetails.exception?.description ?? exceptionDetails.text,
            )
        },
        // The document went away with the message under way.
        (error: unknown) => {
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
      if (crashed) {
        hosted = await openPage()
        crashed = false
      }
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
      if (crashed) return true
      const ended = new Promise<boolean>((resolve) => {
        stays = () => resolve(false)
        hosted.page.once('close', () => resolve(true))
      })
      closing = true
      await hosted.page.close({ runBeforeUnload: true })
      const gone = await ended
      if (!gone) closing = false
      return gone
    },
    async destroy() {
      closing = true
      await hosted.page.close()
    },
    async crash() {
      const gone = hosted.page.waitForEvent('crash')
      // Never answered: the process that would answer ends.
      hosted.session.send('Page.crash').catch(() => undefined)
      await gone
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

/** The operations of the test's process, on the windows that it hosts. */
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
        // A window may close before it has its new size.
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
