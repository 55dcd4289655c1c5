import type { BrowserContext, Dialog, FileChooser, Page } from 'playwright-core'
import { plural } from '../../shared/text/plural.ts'
import { truncate } from '../../shared/text/truncate.ts'
import { refusedStatus } from './filterProxy.ts'
import { hostOf, portOf } from './reach.ts'

/** What happens in a page beside what it shows. */
export interface PageLog {
  watch(context: BrowserContext, page: Page): void
  /** Stores why a connection was refused. It becomes a note only if the page asked for it, not the browser itself. */
  refused(target: string, reason: string): void
  /** Notes that a window that the page wanted to open was refused or closed. */
  closedWindow(url: string): void
  /** Returns messages and notes since the last call, without those about a secret file. */
  take(): { console: string[]; notes: string[] }
  /** Returns all messages of the console and requests. */
  lists(): PageLists
  /** The same without those about a secret file. */
  publicLists(): PageLists
  clear(): void
}

export interface PageLists {
  console: readonly string[]
  network: readonly string[]
}

interface Entry {
  text: string
  /** Whether the page showed a secret file, so that models do not get the text. */
  isSecret: boolean
}

const maxEntries = 300
const maxText = 500
/** Dialogs that nobody answers after which a page is closed. */
const maxDialogs = 20

interface PageLogDeps {
  /** Called when a message or a request was added. */
  onChanged(): void
  /** Answers dialogs and chooses files. Undefined while a model uses the page. */
  person(): { handleDialog(dialog: Dialog): boolean; handleChooser(chooser: FileChooser): boolean } | undefined
  /** Whether the page shows a secret file that models may not read. */
  showsSecret(): boolean
}

export function createPageLog({ onChanged, person, showsSecret }: PageLogDeps): PageLog {
  let messages: Entry[] = []
  let requests: Entry[] = []
  /** Messages and notes since the last report. */
  let unread: Entry[] = []
  let notes: Entry[] = []
  let dialogs = 0
  /** Why connections were refused, by host and port. */
  const reasons = new Map<string, string>()

  const add = (list: Entry[], text: string): void => {
    // A line break could begin what looks like another part of the report.
    const line = truncate(text, maxText).replaceAll(/[\r\n\u2028\u2029]+/g, ' ⏎ ')
    list.push({ text: line, isSecret: showsSecret() })
    if (list.length > maxEntries) list.shift()
    onChanged()
  }
  const addMessage = (text: string): void => {
    add(messages, text)
    add(unread, text)
  }
  const note = (text: string): void => {
    if (!notes.some((each) => each.text === text)) add(notes, text)
  }

  const closedWindow = (url: string): void =>
    note(`Closed: a window that the page opened${url === 'about:blank' ? '' : `, ${url}`}.`)

  /** Adds a note if the page wanted to connect somewhere that was refused. */
  function noteRefused(address: string): void {
    const url = URL.parse(address)
    const target = url && `${hostOf(url)}:${portOf(url)}`
    const reason = target && reasons.get(target)
    if (reason) note(`Refused: a connection to ${target}. ${reason}`)
  }

  function watchRequests(page: Page): void {
    page.on('response', (response) => {
      add(requests, `${response.request().method()} ${response.status()} ${response.url()}`)
      if (response.status() === refusedStatus) noteRefused(response.url())
    })
    page.on('requestfailed', (request) => {
      noteRefused(request.url())
      // One that got a response is in the list with its status.
      if (request.existingResponse() === null)
        add(requests, `${request.method()} failed (${request.failure()?.errorText ?? 'unknown'}) ${request.url()}`)
    })
    page.on('websocket', (socket) => socket.on('socketerror', () => noteRefused(socket.url())))
    page.on('download', (download) => note(`Refused: a download of ${download.suggestedFilename()}.`))
  }

  /** Dismisses dialogs, and closes further windows. */
  function watchWindows(context: BrowserContext, page: Page): void {
    page.on('dialog', async (dialog) => {
      if (person()?.handleDialog(dialog) === true) return
      dialogs += 1
      note(`Closed: a dialog (${dialog.type()}) with the text "${truncate(dialog.message(), 200)}".`)
      // `beforeunload` asks whether to leave the page.
      const closing = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()
      // The page may be gone.
      await closing.catch(() => undefined)
      if (dialogs > maxDialogs) await page.close({ runBeforeUnload: false }).catch(() => undefined)
    })
    // Chromium shows no chooser of its own while somebody listens.
    page.on('filechooser', (chooser) => {
      if (person()?.handleChooser(chooser) !== true)
        note('Closed: a file chooser. Only the user can choose files, in the Preview tab.')
    })
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) dialogs = 0
    })
    context.on('page', (other) => {
      if (other === page) return
      closedWindow(other.url())
      void other.close().catch(() => undefined)
    })
  }

  return {
    watch(context, page) {
      watchMessages(page, addMessage)
      watchRequests(page)
      watchWindows(context, page)
    },
    refused(target, reason) {
      if (reasons.size < maxEntries) reasons.set(target, reason)
    },
    closedWindow,
    take() {
      const taken = { console: publicLines(unread), notes: publicLines(notes) }
      unread = []
      notes = []
      return taken
    },
    lists: () => ({ console: messages.map(textOf), network: requests.map(textOf) }),
    publicLists: () => ({ console: publicLines(messages), network: publicLines(requests) }),
    clear() {
      messages = []
      requests = []
      unread = []
      notes = []
      reasons.clear()
      dialogs = 0
    },
  }
}

/** Reports messages of the console and uncaught errors. */
function watchMessages(page: Page, addMessage: (text: string) => void): void {
  page.on('console', (message) => {
    const { url, lineNumber } = message.location()
    // Browsers ask for it unasked.
    if (url.endsWith('/favicon.ico')) return
    addMessage(`${message.type()}: ${message.text()}${url === '' ? '' : ` (${url}:${lineNumber + 1})`}`)
  })
  page.on('pageerror', ({ message, stack = '' }) => {
    const frame = stack.split('\n').find((line) => /^\s*at /.test(line)) ?? ''
    addMessage(`uncaught: ${message}\n${frame}`.trimEnd())
  })
}

const textOf = ({ text }: Entry): string => text

/** Leaves out what the page logged while it showed a secret file. */
function publicLines(entries: readonly Entry[]): string[] {
  const kept = entries.filter(({ isSecret }) => !isSecret)
  const count = entries.length - kept.length
  const note = `(${plural(count, 'line')} left out, because the page showed a secret file)`
  return [...kept.map(textOf), ...(count > 0 ? [note] : [])]
}
