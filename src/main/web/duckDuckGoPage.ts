import domino from '@mixmark-io/domino'
import { collapseWhitespace } from './pageMarkdown.ts'
import type { SearchResult } from './searchResult.ts'

/** `challenge`: the page asks for proof that a person searched. `unknown`: unexpected page layout. */
export interface DuckDuckGoResponse {
  kind: 'results' | 'challenge' | 'unknown'
  results: SearchResult[]
}

/** Parses the results of html.duckduckgo.com, without advertisements. */
export function parseDuckDuckGoPage(html: string): DuckDuckGoResponse {
  const document = domino.createDocument(html)
  if (document.querySelector('#challenge-form, .anomaly-modal, [class^=anomaly-modal], form[action*="anomaly.js"]'))
    return { kind: 'challenge', results: [] }
  const results = Array.from(document.querySelectorAll('.result:not(.result--ad)')).flatMap(
    (element): SearchResult[] => {
      const link = element.querySelector('a.result__a')
      const url = resultTarget(link?.getAttribute('href') ?? '')
      if (link === undefined || url === undefined) return []
      return [
        {
          title: collapseWhitespace(link.textContent),
          url,
          snippet: collapseWhitespace(element.querySelector('.result__snippet')?.textContent ?? ''),
        },
      ]
    },
  )
  const understood = results.length > 0 || document.querySelector('.no-results, .result--no-result') !== undefined
  return { kind: understood ? 'results' : 'unknown', results }
}

/** Returns the target of a result. DuckDuckGo wraps addresses in a redirect (`/l/?uddg=`). */
function resultTarget(href: string): string | undefined {
  const url = URL.parse(href, 'https://duckduckgo.com')
  if (url === null) return undefined
  const own = /(^|\.)duckduckgo\.com$/.test(url.hostname)
  const wrapped = own && url.pathname === '/l/' ? URL.parse(url.searchParams.get('uddg') ?? '') : own ? null : url
  return wrapped?.protocol === 'https:' || wrapped?.protocol === 'http:' ? wrapped.href : undefined
}
