import type { BrowserContext, CDPSession, Page } from '@playwright/test'
import type { ElectronSide } from './operations.ts'
import type { PageScripts } from './page/scripts.ts'
import type { Peer } from './peer.ts'

/** A page in Chromium that shows the documents of one of the application's windows. */
export interface HostedPage {
  page: Page
  session: CDPSession
  /** Chromium's id of the main frame. */
  mainFrame: string
  /** The isolated world of the current document; null between documents. */
  world: number | null
  /** The address of the current document. */
  url: string
  crashed: boolean
  /** Whether the application is closing the page. */
  closing: boolean
  /** Called when the page stays open because its `beforeunload` handler prevented a close. */
  onStay(): void
}

export interface HostOptions {
  context: BrowserContext
  electron: Peer<ElectronSide>
  /** Id of the application's window. */
  id: number
  scripts: PageScripts
  /** Size of the content in pixels. */
  size: { width: number; height: number }
}

/** Opens a page for a window and reports its events to the application. */
export async function openHostedPage(options: HostOptions): Promise<HostedPage> {
  const { context, scripts, size } = options
  const page = await context.newPage()
  await page.setViewportSize(size)
  const session = await context.newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const hosted: HostedPage = {
    page,
    session,
    mainFrame: frameTree.frame.id,
    world: null,
    url: frameTree.frame.url,
    crashed: false,
    closing: false,
    onStay: () => {},
  }
  followDocuments(hosted, options)
  decideNavigations(hosted, options)
  reportPageEvents(hosted, options)
  await session.send('Page.enable')
  await session.send('Runtime.enable')
  await session.send('Runtime.addBinding', { name: scripts.binding, executionContextName: scripts.world })
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.page })
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.preload, worldName: scripts.world })
  // Pauses requests for documents, so that the application can refuse them. Other requests are not paused.
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
  return hosted
}

/** Reports messages, navigations and loads of the page's documents. */
function followDocuments(hosted: HostedPage, { electron, id: window, scripts }: HostOptions): void {
  const { session } = hosted
  session.on('Runtime.executionContextCreated', ({ context }) => {
    if (context.name === scripts.world && context.auxData?.frameId === hosted.mainFrame) hosted.world = context.id
  })
  session.on('Runtime.executionContextsCleared', () => {
    hosted.world = null
  })
  session.on('Runtime.bindingCalled', ({ name, payload }) => {
    if (name === scripts.binding) electron.tell('pageMessage', { window, url: hosted.url, text: payload })
  })
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return
    hosted.url = frame.url + (frame.urlFragment ?? '')
    electron.tell('navigated', { window, url: hosted.url, inPage: false })
  })
  session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
    if (frameId !== hosted.mainFrame) return
    hosted.url = url
    electron.tell('navigated', { window, url, inPage: true })
  })
  session.on('Page.domContentEventFired', () => electron.tell('loaded', { window, stage: 'dom' }))
  session.on('Page.loadEventFired', () => electron.tell('loaded', { window, stage: 'all' }))
}

/** Asks the application whether the page may load documents that the page itself requests. */
function decideNavigations(hosted: HostedPage, { electron, id: window }: HostOptions): void {
  const { page, session } = hosted
  /** Frames whose page has requested a navigation. All other documents are loaded by the application. */
  const requestedByPage = new Set<string>()
  session.on('Page.frameRequestedNavigation', ({ frameId }) => void requestedByPage.add(frameId))
  session.on('Fetch.requestPaused', ({ requestId, frameId, request, redirectedRequestId }) => {
    const byPage = requestedByPage.has(frameId)
    const decide = async (): Promise<void> => {
      const mainFrame = frameId === hosted.mainFrame
      const frameUrl =
        page
          .frames()
          .find((frame) => !mainFrame && frame.url() !== page.url())
          ?.url() ?? page.url()
      const redirect = redirectedRequestId !== undefined
      const isAllowed =
        !byPage || (await electron.call('navigating', { window, url: request.url, mainFrame, redirect, frameUrl }))
      if (isAllowed) await session.send('Fetch.continueRequest', { requestId })
      else await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    }
    decide().catch((error: unknown) => {
      // The page may close before the decision.
      if (!hosted.closing && !hosted.crashed) console.error('A navigation could not be decided:', error)
    })
  })
}

/** Reports pop-ups, `beforeunload` prompts, crashes and the end of the page. */
function reportPageEvents(hosted: HostedPage, { electron, id: window }: HostOptions): void {
  const { page } = hosted
  page.on('popup', (popup) => {
    const url = popup.url()
    electron
      .call('opening', { window, url })
      .then((isAllowed) => {
        if (isAllowed)
          console.error(`A window for ${url} was allowed; the desktop harness closes it (see e2e/desktop/README.md).`)
        return popup.close()
      })
      .catch((error: unknown) => console.error('A pop-up could not be closed:', error))
  })
  page.on('dialog', (dialog) => {
    if (dialog.type() !== 'beforeunload') return void dialog.dismiss()
    electron
      .call('preventingUnload', { window })
      .then(async (leave) => {
        await (leave ? dialog.accept() : dialog.dismiss())
        if (!leave) hosted.onStay()
      })
      .catch((error: unknown) => console.error('A beforeunload prompt could not be answered:', error))
  })
  page.on('crash', () => {
    hosted.crashed = true
    electron.tell('pageGone', { window, reason: 'crashed' })
  })
  page.on('close', () => {
    if (!hosted.crashed) electron.tell('pageClosed', { window })
  })
}
