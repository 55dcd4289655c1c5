import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import type { WebSettings } from '../../shared/settings/settings.ts'
import type { RunIsolated } from '../base/isolatedJob.ts'
import type { WebResponse, WebClient } from './webClient.ts'
import { readDuckDuckGo } from './pageReader.ts'
import type { SearchResponse } from './searchResult.ts'

export interface SearchDeps {
  client: WebClient
  settings: WebSettings
  /** Read only for Brave. */
  braveKey(): Promise<string | undefined>
  runIsolated: RunIsolated
  services: SearchServices
}

/** Addresses of the services that the user cannot configure. */
export interface SearchServices {
  duckDuckGo: string
  brave: string
}
export const searchServices: SearchServices = {
  duckDuckGo: 'https://html.duckduckgo.com/html/',
  brave: 'https://api.search.brave.com/res/v1/web/search',
}

/** Maximum bytes of a service's response. */
const maxResponseBytes = 1024 * 1024

/**
 * Searches with the configured service. Throws like `WebClient.fetch`.
 * @throws ToolError refused for a challenge page or a rate limit, invalid_arguments if the service is not configured,
 *   network_error if its response cannot be parsed
 * @param limit maximum number of results
 */
export async function searchWeb(
  query: string,
  limit: number,
  deps: SearchDeps,
  signal: AbortSignal,
): Promise<SearchResponse> {
  const provider = deps.settings.search
  const client: WebClient = {
    ...deps.client,
    fetch: (request, given) => nameServiceInErrors(provider, deps.client.fetch(request, given)),
  }
  const answer = await providers[provider](query, limit, { ...deps, client }, signal)
  return { ...answer, results: answer.results.slice(0, limit) }
}

const titles: Readonly<Record<WebSettings['search'], string>> = {
  duckduckgo: 'DuckDuckGo',
  searxng: 'SearXNG',
  brave: 'Brave',
}

/** Names the service in connection errors, since the caller did not provide an address. */
async function nameServiceInErrors(
  provider: WebSettings['search'],
  answer: Promise<WebResponse>,
): Promise<WebResponse> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'network_error') throw error
    const own = provider === 'searxng' ? ' The user can check its address in Settings under Web.' : ''
    const next = `This machine may be offline. Continue without the web, or ask the user.${own}`
    throw new ToolError('network_error', `${titles[provider]} could not be reached. ${error.message}`, next, {
      cause: error,
    })
  }
}

type Provider = (query: string, limit: number, deps: SearchDeps, signal: AbortSignal) => Promise<SearchResponse>

const duckDuckGo: Provider = async (query, _limit, { client, services, runIsolated }, signal) => {
  const provider = 'DuckDuckGo'
  const url = withQuery(services.duckDuckGo, { q: query })
  const answer = await client.fetch({ url, headers: { accept: 'text/html' }, maxBytes: maxResponseBytes }, signal)
  if (answer.status !== 202) expectSuccess(provider, answer)
  const { kind, results } = await readDuckDuckGo(runIsolated, answer.text, signal)
  if (kind === 'challenge' || answer.status === 202) {
    throw new ToolError(
      'refused',
      'DuckDuckGo returned a challenge page instead of results because it detected an automated search.',
      'Do not repeat the search immediately. The user can set up SearXNG or a Brave key in Settings under Web. Or fetch a known address.',
    )
  }
  if (kind === 'unknown') throw unreadable(provider)
  return { provider, results }
}

const searxngAnswer = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().nullish() })),
})

const searxng: Provider = async (query, _limit, { client, settings }, signal) => {
  const provider = 'SearXNG'
  if (settings.searxngUrl === '') throw notConfigured('No SearXNG server address is set.')
  const base = settings.searxngUrl.replace(/\/*$/, '/')
  const answer = await client.fetch(
    { url: withQuery(new URL('search', base).href, { q: query, format: 'json' }), maxBytes: maxResponseBytes },
    signal,
  )
  if (answer.status === 403) {
    throw new ToolError(
      'refused',
      'The SearXNG server does not allow JSON responses.',
      'The user must add "json" to search.formats in its settings.yml.',
    )
  }
  expectSuccess(provider, answer)
  if (answer.type === 'text/html') throw challengeError(provider, answer)
  const { results } = parseResponse(provider, answer, searxngAnswer)
  return {
    provider,
    results: results.map(({ title, url, content }) => ({
      title: removeMarkup(title),
      url,
      snippet: removeMarkup(content ?? ''),
    })),
  }
}

const braveAnswer = z.object({
  web: z
    .object({ results: z.array(z.object({ title: z.string(), url: z.string(), description: z.string().optional() })) })
    .optional(),
})

const brave: Provider = async (query, limit, { client, services, braveKey }, signal) => {
  const provider = 'Brave'
  const key = await braveKey()
  if (!key) throw notConfigured('No Brave key is stored.')
  const url = withQuery(services.brave, { q: query, count: String(Math.min(limit, 20)) })
  const answer = await client.fetch(
    { url, headers: { accept: 'application/json', 'x-subscription-token': key }, maxBytes: maxResponseBytes },
    signal,
  )
  if (answer.status === 401 || answer.status === 403 || answer.status === 422) {
    throw new ToolError(
      'refused',
      `Brave rejected the stored key (HTTP ${answer.status}).`,
      'The user must set a valid key in Settings under Web.',
    )
  }
  expectSuccess(provider, answer)
  if (answer.type === 'text/html') throw challengeError(provider, answer)
  const { web } = parseResponse(provider, answer, braveAnswer)
  return {
    provider,
    results: (web?.results ?? []).map(({ title, url: where, description = '' }) => ({
      title: removeMarkup(title),
      url: where,
      snippet: removeMarkup(description),
    })),
  }
}

const providers: Readonly<Record<WebSettings['search'], Provider>> = { duckduckgo: duckDuckGo, searxng, brave }

function withQuery(address: string, values: Readonly<Record<string, string>>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return url.href
}

function expectSuccess(provider: string, { status, statusText }: WebResponse): void {
  if (status >= 200 && status < 300) return
  if (status === 429)
    throw new ToolError(
      'refused',
      `${provider} limits the rate of requests (HTTP 429).`,
      'Wait before the next search, or fetch a known address.',
    )
  if (status === 403)
    throw new ToolError(
      'refused',
      `${provider} refused the search (HTTP 403).`,
      'The user can choose another provider in Settings under Web.',
    )
  throw new ToolError(
    'network_error',
    `${provider} responded with HTTP ${status} ${statusText}.`,
    'Try again later, or fetch a known address.',
  )
}

function parseResponse<T>(provider: string, { text, truncated }: WebResponse, schema: z.ZodType<T>): T {
  try {
    if (!truncated) return schema.parse(JSON.parse(text))
  } catch (error) {
    throw unreadable(provider, error)
  }
  throw unreadable(provider)
}

/** Returns the error for a service that returned a page instead of JSON, such as a login or a bot check. */
function challengeError(provider: string, { text }: WebResponse): ToolError {
  if (/captcha|challenge|are you (a )?human|robot/i.test(text)) {
    return new ToolError(
      'refused',
      `${provider} returned a challenge page instead of results.`,
      'The user can open it in a browser, or choose another provider in Settings under Web.',
    )
  }
  return unreadable(provider)
}

function unreadable(provider: string, cause?: unknown): ToolError {
  return new ToolError(
    'network_error',
    `The response of ${provider} could not be parsed as search results.`,
    'Fetch a known address instead; the user can choose another provider in Settings under Web.',
    { cause },
  )
}

function notConfigured(message: string): ToolError {
  return new ToolError(
    'invalid_arguments',
    `${message} It is the selected search provider.`,
    'The user must set it in Settings under Web, or choose another provider.',
  )
}

/** Removes markup: services highlight the matching words with elements and escape the rest. */
function removeMarkup(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    '#x27': "'",
    nbsp: ' ',
  }
  return text
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(amp|lt|gt|quot|#39|#x27|nbsp);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
}
