import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { Page } from 'playwright-core'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'
import { ToolError } from '../../shared/errors.ts'
import type {
  PickedElement,
  PreviewBox,
  PreviewDisplay,
  PreviewFrame,
  PreviewInput,
  PreviewPoint,
  PreviewPopup,
  PreviewServer,
  PreviewState,
  PreviewStep,
  PreviewTarget,
} from '../../shared/preview/preview.ts'
import { elementAt, focusedElement } from './elementAt.ts'
import { createElementPicker } from './elementPicker.ts'
import type { FolderPorts } from './folderPorts.ts'
import { dispatchInput } from './pageInput.ts'
import { findPageFiles, pageFiles, type FolderFiles } from './pageFiles.ts'
import { pageFailure } from './pageActivity.ts'
import type { NativeView } from './pageHost.ts'
import { createPageTracker, type PageTracker } from './pageTracker.ts'
import { choose, popupOf, type OpenPopup } from './popups.ts'
import type { Preview } from './preview.ts'
import { isLoopback } from './reach.ts'

/** The page as a person sees and uses it. It is the page of the models' tools. */
export interface PageView {
  state(): PreviewState
  servers(): Promise<PreviewServer[]>
  /**
   * Opens an address. @returns the host that the person has to approve first, or null
   * @throws ToolError refused in a folder that is not trusted; address_refused, network_error
   */
  open(url: URL, approved: boolean, signal: AbortSignal): Promise<string | null>
  go(to: 'back' | 'forward' | 'reload'): Promise<void>
  frame(after: number, display: PreviewDisplay): Promise<PreviewFrame | null>
  hide(): Promise<void>
  /** Moves and shows the view of the page, or hides it. @param bounds in CSS pixels of the window */
  place(bounds: PreviewBox | null, display: PreviewDisplay): Promise<void>
  /** Moves the keyboard focus into the view of the page. */
  focus(): void
  input(events: readonly PreviewInput[]): Promise<PreviewPopup | null>
  choose(choice: { options?: readonly number[]; value?: string }): Promise<void>
  answerDialog(accept: boolean, text: string): Promise<void>
  /** Finds files of the folder that the page may get. */
  files(query: string, signal: AbortSignal): Promise<string[]>
  /** Gives the page the files that it requested. None: the person cancelled. @throws ToolError refused for a secret file */
  chooseFiles(id: number, paths: readonly string[]): Promise<void>
  log(): { console: readonly string[]; network: readonly string[] }
  tree(): Promise<string>
  screenshot(): Promise<Buffer>
  target(at: PreviewPoint | PreviewStep): Promise<PreviewTarget | null>
  pick(): Promise<PickedElement | null>
  selection(): Promise<string>
  close(): Promise<void>
  /** Ends the browser of a folder that is no longer trusted. */
  trustChanged(): Promise<void>
  /** Reports nothing any more. */
  dispose(): Promise<void>
}

export interface PageViewDeps {
  preview: Preview
  ports(): Promise<FolderPorts>
  isTrusted(): boolean
  workspace: WorkspaceRoots
  exists(path: string): Promise<boolean>
  files: FolderFiles
  /** @throws ToolError if the settings forbid the web */
  checkWeb(): void
  onState(state: PreviewState): void
}

const maxTree = 200_000
/** Maximum elements of a page whose tree is read. */
const maxElements = 10_000
/** Maximum bytes of a screenshot, and characters of selected text. */
const maxPicture = 20_000_000
const maxSelection = 1_000_000
/** Milliseconds for a look at an element: a page that is busy gets the click without it. */
const lookMs = 500
const adjustMs = 1000
const treeMs = 5000
const goMs = 10_000

export function createPageView(deps: PageViewDeps): PageView {
  const { preview } = deps
  const tracker = createPageTracker(preview, deps.onState)
  const { current } = tracker
  const approved = new Set<string>()
  const picker = createElementPicker(deps)
  const inputs = new Sequencer()
  let popup: OpenPopup | null = null
  /** Whether the press of a button opened a popup instead, so that the page must not get its release. */
  let isPressWithheld = false

  return {
    state: tracker.state,
    servers: async () => serversAt(await deps.ports()),
    async open(url, isApproved, signal) {
      if (!deps.isTrusted())
        throw new ToolError(
          'refused',
          'This folder is not trusted, so its pages are not opened.',
          'Trust it with the command "Manage folder trust".',
        )
      if (!isLoopback(url)) {
        deps.checkWeb()
        const host = url.host
        if (!isApproved && !approved.has(host)) return host
        approved.add(host)
      }
      tracker.clearNotice()
      tracker.looked()
      await preview.person.open(url, signal)
      return null
    },
    go: preview.person.go,
    frame: readable(async (after, display) => {
      tracker.looked()
      const { screencast } = await current()
      return screencast.next(after, display)
    }),
    hide: tracker.hide,
    place: readable((bounds, display) => placeView(preview.person.view(), tracker, bounds, display)),
    focus: () => preview.person.view()?.focus(),
    input: readable((events) =>
      inputs.queue(async () => {
        const { page, session } = await current()
        let opened: OpenPopup | null = null
        if (events.some(({ kind, ...event }) => kind === 'text' || ('type' in event && event.type === 'down')))
          tracker.used()
        for (const input of events) {
          const isRelease = input.kind === 'mouse' && input.type === 'up'
          const isWithheld = isRelease && isPressWithheld
          if (isRelease) isPressWithheld = false
          if (isWithheld) continue
          const found = await popupFor(page, input)
          if (found === null) {
            dispatchInput(session, input)
            continue
          }
          opened = popup = found
          isPressWithheld = input.kind === 'mouse'
        }
        tracker.probe()
        return opened?.popup ?? null
      }),
    ),
    choose: readable(async (choice) => {
      const open = popup
      popup = null
      if (open) await choose(open, choice)
    }),
    answerDialog: readable(tracker.answerDialog),
    files: (query, signal) => findPageFiles(deps.files, query, signal),
    chooseFiles: readable(async (id, paths) => tracker.chooseFiles(id, await pageFiles(deps.files, paths))),
    log: preview.person.lists,
    tree: readable(async () => treeOf((await current()).page)),
    screenshot: readable(async () => {
      const { page } = await current()
      preview.person.checkNoSecret()
      return pictureOf(page)
    }),
    target: readable(async (at) => {
      const { page } = await current()
      return raceTimeout(picker.target(page, at), goMs, null)
    }),
    pick: readable(async () => {
      const { page } = await current()
      preview.person.checkNoSecret()
      return raceTimeout(picker.pick(page), goMs, null)
    }),
    selection: readable(async () => {
      const { page } = await current()
      const text = page.evaluate(`String(getSelection() ?? "").slice(0, ${maxSelection})`)
      return String(await raceTimeout(text, goMs, '')).slice(0, maxSelection)
    }),
    close: preview.person.close,
    async trustChanged() {
      if (!deps.isTrusted()) await preview.person.close()
    },
    dispose: tracker.dispose,
  }
}

const serversAt = (ports: FolderPorts): PreviewServer[] =>
  [...ports.keys()].toSorted((a, b) => a - b).map((port) => ({ port, url: `http://localhost:${port}/` }))

/** Moves and shows the view, or hides it. */
async function placeView(
  view: NativeView | undefined,
  tracker: PageTracker,
  bounds: PreviewBox | null,
  display: PreviewDisplay,
): Promise<void> {
  if (!view) return
  view.place(bounds)
  if (bounds === null) return
  tracker.looked()
  const { screencast } = await tracker.current()
  // A page that does not respond is shown as it is.
  await raceTimeout(screencast.adjust(display), adjustMs)
}

/** Converts errors of Playwright for a person. */
const readable =
  <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    try {
      return await work(...args)
    } catch (error) {
      throw pageFailure(error, 'Try it again, or load the page again.')
    }
  }

async function treeOf(page: Page): Promise<string> {
  const count = Number(await page.evaluate('document.querySelectorAll("*").length'))
  // The whole tree is in memory several times.
  if (!(count <= maxElements)) return `The page has ${count} elements, which are too many to list.`
  return (await page.locator(':root').ariaSnapshot({ timeout: treeMs })).slice(0, maxTree)
}

async function pictureOf(page: Page): Promise<Buffer> {
  const picture = await page.screenshot({ type: 'png', timeout: goMs })
  if (picture.length <= maxPicture) return picture
  throw new ToolError('too_large', 'The screenshot is larger than 20 MB.', 'Choose a smaller page size.')
}

/** Returns the popup that an input would open outside the picture. */
async function popupFor(page: Page, input: PreviewInput): Promise<OpenPopup | null> {
  const isPress = input.kind === 'mouse' && input.type === 'down' && input.button === 'left'
  const isKey =
    input.kind === 'key' &&
    input.type === 'down' &&
    (input.key === ' ' || (input.key === 'ArrowDown' && input.modifiers === 1))
  if (!isPress && !isKey) return null
  const look = async (): Promise<OpenPopup | null> => {
    const found = isPress ? await elementAt(page, input) : await focusedElement(page)
    return found && popupOf(found)
  }
  return raceTimeout(
    look().catch(() => null),
    lookMs,
    null,
  )
}
