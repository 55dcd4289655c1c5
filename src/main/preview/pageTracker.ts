import type { CDPSession, Page, Request } from 'playwright-core'
import { Delayer } from '../../shared/async/delayer.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { ToolError } from '../../shared/errors.ts'
import { noPreview, type PreviewState } from '../../shared/preview/preview.ts'
import { truncate } from '../../shared/text/truncate.ts'
import { refusedHeader, refusedStatus } from './filterProxy.ts'
import type { PageLists } from './pageLog.ts'
import { createPageQuestions } from './pageQuestions.ts'
import type { Preview } from './preview.ts'
import { isLoopback } from './reach.ts'
import { createScreencast, type Screencast } from './screencast.ts'

/** The open page, with what its view uses. */
export interface TrackedPage {
  page: Page
  session: CDPSession
  screencast: Screencast
}

/** Follows the open page, and reports its state. */
export interface PageTracker {
  state(): PreviewState
  /** @throws ToolError not_found without a page */
  current(): Promise<TrackedPage>
  /** Notes that a person looks at the page, and can answer its dialogs. */
  looked(): void
  /** Notes that the person clicks or presses a key. */
  used(): void
  /** Finds out whether the page still responds after an input. */
  probe(): void
  /** The person looks no more. */
  hide(): Promise<void>
  answerDialog(accept: boolean, text: string): Promise<void>
  /** @param files absolute paths */
  chooseFiles(id: number, files: readonly string[]): Promise<void>
  clearNotice(): void
  dispose(): Promise<void>
}

const stateMs = 100
const maxTitle = 200
const maxAddress = 1999
const titleMs = 500
/** Milliseconds between two looks at whether the page responds. */
const probeMs = 3000
/** Milliseconds after an input in which a page should respond. */
const inputProbeMs = 500

type PageStatus = Pick<
  PreviewState,
  'title' | 'loading' | 'stuck' | 'canGoBack' | 'canGoForward' | 'notice' | 'blocked'
>
const emptyStatus: PageStatus = noPreview
const chooserNotice = 'The page opened a file chooser without a click of yours, so it was closed.'
const crashedStatus: PageStatus = {
  ...noPreview,
  notice: 'The page crashed, so its browser was ended. Open it again.',
}

export function createPageTracker(preview: Preview, onState: (state: PreviewState) => void): PageTracker {
  const { person } = preview
  let shown: Promise<TrackedPage> | undefined
  let status = emptyStatus
  /** Address that the page goes to, or went to. */
  let asked = ''
  let disposed = false
  const questions = createPageQuestions({
    onChanged: changed,
    onChooserClosed: () => update({ notice: chooserNotice }),
  })
  const delayer = new Delayer(() => void report(), stateMs)

  function changed(): void {
    if (!disposed) delayer.start()
  }

  function update(changes: Partial<PageStatus>): void {
    status = { ...status, ...changes }
    changed()
  }

  function state(): PreviewState {
    const page = person.page()
    if (!page) return { ...noPreview, notice: status.notice }
    return {
      ...status,
      native: person.view() !== undefined,
      ...shownAddress(page.url().startsWith('chrome-error:') ? asked : page.url()),
      ...questions.shown(),
      ...countsOf(person.lists()),
    }
  }

  async function report(): Promise<void> {
    const page = person.page()
    // A dialog blocks the page.
    if (page && questions.shown().dialog === null) {
      const seen = await look(page, shown, status.title)
      // What changed meanwhile stays.
      status = { ...status, ...seen }
    }
    if (!disposed) onState(state())
  }

  const life = createProbe(person.responds, (stuck) => {
    if (stuck !== status.stuck) update({ stuck })
  })

  async function show(page: Page): Promise<TrackedPage> {
    watchPage(page, {
      onNavigated: () => update({ notice: null }),
      onRequest(url) {
        asked = url
        update({ loading: true, blocked: null })
      },
      onLoaded: () => update({ loading: false }),
      onDocument: questions.forgetChooser,
      onBlocked: (blocked) => update({ blocked }),
    })
    const session = await page.context().newCDPSession(page)
    return { page, session, screencast: createScreencast(page, session, person.view() !== undefined) }
  }

  person.watch({
    onPage(page, crashed) {
      questions.forget()
      status = crashed ? crashedStatus : emptyStatus
      const before = shown
      shown = page && show(page)
      shown?.catch(() => undefined)
      void before?.then(({ screencast }) => screencast.end()).catch(() => undefined)
      changed()
    },
    onLogChanged: changed,
    onUsed: () => [questions, life].forEach(({ used }) => used()),
    ...questions.handlers,
  })

  return {
    state,
    async current() {
      const open = await shown
      if (open && !open.page.isClosed()) return open
      throw new ToolError('not_found', 'No page is open.', 'Enter the address of a page.')
    },
    looked() {
      questions.looked()
      person.looked()
      life.looked()
    },
    used: questions.used,
    probe: life.used,
    async hide() {
      await questions.hide()
      await (await shown)?.screencast.hide()
    },
    answerDialog: questions.answerDialog,
    chooseFiles: questions.chooseFiles,
    clearNotice: () => update({ notice: null }),
    async dispose() {
      disposed = true
      delayer.cancel()
      life.dispose()
      const open = await shown?.catch(() => undefined)
      open?.screencast.end()
    },
  }
}

const countsOf = ({ console: messages, network }: PageLists): Pick<PreviewState, 'messages' | 'requests'> => ({
  messages: messages.length,
  requests: network.length,
})

async function look(page: Page, shown: Promise<TrackedPage> | undefined, before: string): Promise<Partial<PageStatus>> {
  const title = truncate(await raceTimeout(titleOf(page), titleMs, before), maxTitle)
  const session = (await shown?.catch(() => undefined))?.session
  return { title, ...(session && (await historyOf(session))) }
}

/** Returns what the address field shows: a user in an address could look like its host. */
function shownAddress(address: string): Pick<PreviewState, 'url' | 'foreignHost'> {
  const url = URL.parse(address)
  if (!url) return { url: truncate(address, maxAddress), foreignHost: null }
  url.username = ''
  url.password = ''
  const isForeign = /^https?:$/.test(url.protocol) && !isLoopback(url)
  return { url: truncate(url.href, maxAddress), foreignHost: isForeign ? url.host : null }
}

const titleOf = (page: Page): Promise<string> => page.title().catch(() => '')

async function historyOf(session: CDPSession): Promise<Pick<PreviewState, 'canGoBack' | 'canGoForward'> | undefined> {
  const history = await session.send('Page.getNavigationHistory').catch(() => undefined)
  if (!history) return undefined
  const { currentIndex, entries } = history
  // The first entry is the empty page of the start.
  return { canGoBack: currentIndex > 1, canGoForward: currentIndex < entries.length - 1 }
}

/** Finds out whether the page responds, while somebody looks at it and after an input. */
function createProbe(responds: () => Promise<boolean>, onResult: (stuck: boolean) => void) {
  let probedAt = -Infinity
  let running = false
  const afterInput = new Delayer(() => void probe(), inputProbeMs)

  async function probe(): Promise<void> {
    if (running) return
    running = true
    onResult(!(await responds()))
    running = false
    probedAt = performance.now()
  }

  return {
    looked(): void {
      if (performance.now() - probedAt > probeMs) void probe()
    },
    used: () => afterInput.start(),
    dispose: () => afterInput.cancel(),
  }
}

interface PageHandlers {
  onNavigated(): void
  onRequest(url: string): void
  onLoaded(): void
  onDocument(): void
  /** The page may not reach another host. */
  onBlocked(url: string): void
}

function watchPage(page: Page, { onNavigated, onRequest, onLoaded, onDocument, onBlocked }: PageHandlers): void {
  const isNavigation = (request: Request): boolean =>
    request.isNavigationRequest() && request.frame() === page.mainFrame()
  page.on('framenavigated', (frame) => frame === page.mainFrame() && onNavigated())
  page.on('request', (request) => isNavigation(request) && onRequest(request.url()))
  const isElsewhere = (address: string): boolean => {
    const url = URL.parse(address)
    return url !== null && /^https?:$/.test(url.protocol) && !isLoopback(url)
  }
  page.on('requestfailed', (request) => {
    if (!isNavigation(request)) return
    onLoaded()
    if (isElsewhere(request.url())) onBlocked(request.url())
  })
  page.on('response', (response) => {
    const isRefused = response.status() === refusedStatus && response.headers()[refusedHeader] === '1'
    if (isRefused && isNavigation(response.request()) && isElsewhere(response.url())) onBlocked(response.url())
  })
  page.on('domcontentloaded', () => {
    onLoaded()
    onDocument()
  })
}
