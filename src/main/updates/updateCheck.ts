import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { log } from '../base/log/log.ts'

// Notifies about newer versions. Off until the user enters the address of a feed. Sends at most one GET request a day,
// with no data about the user, and downloads nothing else.

export interface UpdateCheckDeps {
  /** Version of this installation. */
  version: string
  /** Folder that stores when the feed was last read. */
  userData: string
  /** Address of the feed. Empty: off. */
  feed(): string
  /** `url`: the page of the new version. */
  notify(message: string, url?: string): void
  /** Clock in milliseconds since the epoch, for tests. */
  now?: () => number
}

export interface UpdateCheck {
  /** Checks if a day has passed since the last check. Call it at start and after a change of the settings. */
  checkIfDue(): Promise<void>
  /** Stops the timer and a running request. */
  stop(): void
}

export const dayMs = 24 * 60 * 60 * 1000
const timeoutMs = 10_000
/** Maximum size of a feed, in characters. */
const maxFeed = 256 * 1024

/** A feed: GitHub's `releases/latest`, or an object with `version` and `url`. */
const feedSchema = z
  .object({ version: z.string(), tag_name: z.string(), url: z.string(), html_url: z.string() })
  .partial()
const stateSchema = z.object({ feed: z.string(), checkedAt: z.number(), notified: z.string().optional() })
type State = z.infer<typeof stateSchema>

export function createUpdateCheck({ version, userData, feed, notify, now = Date.now }: UpdateCheckDeps): UpdateCheck {
  const file = path.join(userData, 'update-check.json')
  const stopped = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    clearTimeout(timer)
    const address = feed().trim()
    if (address === '' || stopped.signal.aborted) return
    const last = await readState(file)
    const age = last?.feed === address ? now() - last.checkedAt : Infinity
    // A clock that was set back must not prevent checks.
    if (age >= dayMs || age < 0) await check(address, last)
    if (stopped.signal.aborted) return
    timer = setTimeout(() => void checkIfDue(), dayMs)
    timer.unref()
  }

  async function check(address: string, last: State | undefined): Promise<void> {
    // Stored before the request, so that a failing feed is not requested more often.
    const state: State = { ...last, feed: address, checkedAt: now() }
    await writeState(file, state)
    try {
      const found = await readFeed(address, stopped.signal)
      if (!isNewer(found.version, version) || state.notified === found.version) return
      await writeState(file, { ...state, notified: found.version })
      const see = found.url === undefined ? '' : ` See ${found.url}`
      notify(`Tizona ${found.version} is available. You have ${version}.${see}`, found.url)
    } catch (error) {
      // Being offline is not an error to report.
      if (!stopped.signal.aborted) log.info(`The update feed could not be read: ${String(error)}`)
    }
  }

  function checkIfDue(): Promise<void> {
    running ??= run().finally(() => (running = undefined))
    return running
  }

  return {
    checkIfDue,
    stop() {
      stopped.abort()
      clearTimeout(timer)
    },
  }
}

async function readFeed(address: string, signal: AbortSignal): Promise<{ version: string; url: string | undefined }> {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw new Error(`"${address}" is not a web address`)
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  if (!response.ok) throw new Error(`the server answered ${response.status}`)
  const parsed = feedSchema.parse(JSON.parse(await boundedText(response)))
  const version = (parsed.version ?? parsed.tag_name ?? '').replace(/^v/, '')
  if (numbersOf(version) === undefined) throw new Error('it names no version')
  const page = URL.parse(parsed.html_url ?? parsed.url ?? '')
  return { version, url: page?.protocol === 'https:' || page?.protocol === 'http:' ? page.href : undefined }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxFeed) throw new Error('it is too long')
  }
  return text
}

/** Whether a version is newer. Versions with a suffix, such as `1.0.0-beta`, are never announced. */
function isNewer(version: string, own: string): boolean {
  const [theirs, ours] = [numbersOf(version), numbersOf(own.replace(/-.*/, ''))]
  if (!theirs || !ours) return false
  const at = theirs.findIndex((number, index) => number !== ours[index])
  return at !== -1 && (theirs[at] ?? 0) > (ours[at] ?? 0)
}

function numbersOf(version: string): number[] | undefined {
  const match = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(version)
  return match?.slice(1).map(Number)
}

async function readState(file: string): Promise<State | undefined> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    // The file is missing or damaged. The next check rewrites it.
    return undefined
  }
}

async function writeState(file: string, state: State): Promise<void> {
  await writeFile(file, JSON.stringify(state), { mode: 0o600 })
}
