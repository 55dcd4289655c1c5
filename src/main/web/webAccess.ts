import { ToolError } from '../../shared/errors.ts'
import type { WebSettings } from '../../shared/settings.ts'
import {
  createWebClient,
  defaultMaxBytes,
  type WebAnswer,
  type WebClientOptions,
  type WebRequest,
} from './webClient.ts'
import { readPage } from './pageReader.ts'
import { searchServices, searchWeb, type SearchServices } from './webSearchServices.ts'
import type { SearchAnswer } from './searchResult.ts'

/** Under which id the secret store keeps the key for Brave. */
export const braveKeyId = 'web.brave'

export interface WebPage extends WebAnswer {
  /** Empty when the page has none. */
  title: string
}

/** What tools may do on the web. Every function throws `switched_off` when the user turned the web off. */
export interface Web {
  /** Finds what is wrong with a request without any network, so that the user is not asked for nothing. Throws `invalid_arguments`. */
  check(request?: WebRequest): void
  /** The answer as it came. Throws what `WebClient.fetch` throws. */
  fetch(request: WebRequest, signal: AbortSignal): Promise<WebAnswer>
  /** The same with HTML turned into Markdown. Throws also `too_large`. */
  read(request: WebRequest, signal: AbortSignal): Promise<WebPage>
  /** @param limit most results. Throws what `searchWeb` throws. */
  search(query: string, limit: number, signal: AbortSignal): Promise<SearchAnswer>
}

export interface WebDeps extends Omit<WebClientOptions, 'exemptOrigins'> {
  settings(): WebSettings
  braveKey(): Promise<string | undefined>
  /** Tests put their own servers here. */
  services?: SearchServices
}

/** Markup is most of a page's bytes: so much of it is read for the 100 KB of text that are given. */
const maxPageBytes = 1024 * 1024

export function createWeb({ settings, braveKey, services = searchServices, ...options }: WebDeps): Web {
  const client = createWebClient({ ...options, exemptOrigins: () => exemptOrigins(settings()) })

  function enabledSettings(): WebSettings {
    const now = settings()
    if (now.enabled) return now
    throw new ToolError(
      'switched_off',
      'The user turned access to the web off.',
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
        ? await readPage(answer.text, answer.url, signal)
        : { title: '', markdown: answer.text }
      const { text, cut } = truncateBytes(page.markdown, defaultMaxBytes)
      return { ...answer, title: page.title, text, truncated: answer.truncated || cut }
    },
    async search(query, limit, signal) {
      return searchWeb(query, limit, { client, settings: enabledSettings(), braveKey, services }, signal)
    },
  }
}

/** Only what the user wrote into the settings; they stand outside every workspace. */
function exemptOrigins({ localOrigins, search, searxngUrl }: WebSettings): string[] {
  const searxng = search === 'searxng' ? URL.parse(searxngUrl)?.origin : undefined
  return searxng === undefined ? localOrigins : [...localOrigins, searxng]
}

function isHtml({ type, text }: WebAnswer): boolean {
  return (
    type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && /^\s*<(!doctype html|html)/i.test(text))
  )
}

function truncateBytes(text: string, maxBytes: number): { text: string; cut: boolean } {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= maxBytes) return { text, cut: false }
  // `stream` leaves a character out that the cut went through.
  return { text: new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true }), cut: true }
}
