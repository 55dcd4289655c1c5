import { ToolError } from '../../shared/errors.ts'
import type { WebSettings } from '../../shared/settings/settings.ts'
import type { RunIsolated } from '../base/isolatedJob.ts'
import {
  createWebClient,
  defaultMaxBytes,
  type WebResponse,
  type WebClientOptions,
  type WebRequest,
} from './webClient.ts'
import { readPage } from './pageReader.ts'
import { searchServices, searchWeb, type SearchServices } from './webSearchServices.ts'
import type { SearchResponse } from './searchResult.ts'

/** Id of the Brave key in the secret store. */
export const braveKeyId = 'web.brave'

/** A response with its HTML converted to Markdown. */
export interface WebPage extends WebResponse {
  /** Empty if the page has none. */
  title: string
  /** Text in it that browsers show nobody. */
  invisible: string
}

/** Web access for tools. All methods throw `switched_off` if the user has turned off web access. */
export interface Web {
  /**
   * Validates a request without network access, so that the user is not asked to approve an invalid one.
   * @throws ToolError invalid_arguments
   */
  check(request?: WebRequest): void
  /** Fetches a response unchanged. Throws like `WebClient.fetch`. */
  fetch(request: WebRequest, signal: AbortSignal): Promise<WebResponse>
  /** Fetches a page and converts HTML to Markdown. Throws like `fetch`. @throws ToolError too_large */
  read(request: WebRequest, signal: AbortSignal): Promise<WebPage>
  /**
   * Downloads a file that the user asked for, also while tools may not use the web. Throws like `WebClient.download`.
   * @param origin allowed although it may be a local address, because the user entered it
   */
  download(url: string, options: { maxBytes: number; origin: string }, signal: AbortSignal): Promise<Buffer>
  /** @param limit maximum number of results. Throws like `searchWeb`. */
  search(query: string, limit: number, signal: AbortSignal): Promise<SearchResponse>
}

export interface WebDeps extends Omit<WebClientOptions, 'exemptOrigins'> {
  settings(): WebSettings
  braveKey(): Promise<string | undefined>
  runIsolated: RunIsolated
  /** Addresses of search services. Tests use local servers. */
  services?: SearchServices
}

const downloadLimits = { totalMs: 300_000 }
/** Maximum bytes of HTML to read for up to 100 KB of text. */
const maxPageBytes = 1024 * 1024

/** Creates web access that follows the current settings. */
export function createWeb({ settings, braveKey, runIsolated, services = searchServices, ...options }: WebDeps): Web {
  const client = createWebClient({ ...options, exemptOrigins: () => exemptOrigins(settings()) })

  function enabledSettings(): WebSettings {
    const now = settings()
    if (now.enabled) return now
    throw new ToolError(
      'switched_off',
      'The user has turned off web access.',
      'Work without it. Only the user can turn it on, in Settings under Web.',
    )
  }

  return {
    check(request) {
      enabledSettings()
      if (request) client.check(request)
    },
    async fetch(request, signal) {
      enabledSettings()
      return client.fetch(request, signal)
    },
    async read(request, signal) {
      enabledSettings()
      const answer = await client.fetch({ maxBytes: maxPageBytes, ...request }, signal)
      const page = isHtml(answer)
        ? await readPage(runIsolated, answer.text, answer.url, signal)
        : { title: '', markdown: answer.text, invisible: '' }
      const { text, truncated } = truncateBytes(page.markdown, defaultMaxBytes)
      return { ...answer, title: page.title, invisible: page.invisible, text, truncated: answer.truncated || truncated }
    },
    download: (url, { maxBytes, origin }, signal) =>
      createWebClient({ ...options, limits: downloadLimits, exemptOrigins: () => [origin] }).download(
        url,
        maxBytes,
        signal,
      ),
    async search(query, limit, signal) {
      return searchWeb(query, limit, { client, settings: enabledSettings(), braveKey, runIsolated, services }, signal)
    },
  }
}

/** Returns origins from the user's settings, which no workspace can change. */
function exemptOrigins({ localOrigins, search, searxngUrl }: WebSettings): string[] {
  const searxng = search === 'searxng' ? URL.parse(searxngUrl)?.origin : undefined
  return searxng === undefined ? localOrigins : [...localOrigins, searxng]
}

function isHtml({ type, text }: WebResponse): boolean {
  return (
    type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && /^\s*<(!doctype html|html)/i.test(text))
  )
}

function truncateBytes(text: string, maxBytes: number): { text: string; truncated: boolean } {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= maxBytes) return { text, truncated: false }
  // `stream` omits a character truncated by the limit.
  return { text: new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true }), truncated: true }
}
