import { describe, expect, onTestFinished, test } from 'vitest'
import { nonPublicReason } from './publicAddresses.ts'
import { startSite, testWeb } from './testing/webServer.ts'

const signal = new AbortController().signal

async function site(body: string, { status = 200, type = 'text/html; charset=utf-8' } = {}) {
  const server = await startSite((_, response) => response.writeHead(status, { 'content-type': type }).end(body))
  onTestFinished(() => server.close())
  return server
}
/** Addresses of search services, all at one server. */
const at = (origin: string) => ({ services: { duckDuckGo: `${origin}/html/`, brave: `${origin}/brave` } })

describe('pages', () => {
  test('are converted to Markdown, other text is unchanged', async () => {
    const page = await site('<title>T</title><h1>A</h1><a href="/b">b</a>')
    expect(await testWeb().read({ url: page.origin }, signal)).toMatchObject({
      title: 'T',
      text: `# A\n\n[b](${page.origin}/b)`,
      truncated: false,
    })
    const plain = await site('# <b> as written', { type: 'text/plain' })
    expect(await testWeb().read({ url: plain.origin }, signal)).toMatchObject({ title: '', text: '# <b> as written' })
  })

  test('yield 100 KB of text regardless of markup', async () => {
    const markup = await site(`<style>${'a{}'.repeat(60_000)}</style><p>text</p>`)
    expect(await testWeb().read({ url: markup.origin }, signal)).toMatchObject({ text: 'text', truncated: false })
    const long = await site('ü'.repeat(60_000))
    const answer = await testWeb().read({ url: long.origin }, signal)
    expect(answer.truncated).toBe(true)
    expect(answer.text).toBe('ü'.repeat(51_200))
  })
})

describe('the switch', () => {
  test('disables all access, and nothing is sent', async () => {
    const { origin, seen } = await site('x')
    const web = testWeb({ enabled: false }, at(origin))
    const off = expect.objectContaining({ code: 'switched_off' })
    expect(() => web.check()).toThrow(off)
    await expect(web.fetch({ url: origin }, signal)).rejects.toEqual(off)
    await expect(web.read({ url: origin }, signal)).rejects.toEqual(off)
    await expect(web.search('a', 5, signal)).rejects.toEqual(off)
    expect(seen).toEqual([])
  })
})

describe('origins on the local network', () => {
  test('are only reachable if the settings list them', async () => {
    const { origin } = await site('mine', { type: 'text/plain' })
    const text = async (settings: Parameters<typeof testWeb>[0]) =>
      (await testWeb(settings, { refuse: nonPublicReason }).fetch({ url: origin }, signal)).text
    await expect(text({})).rejects.toMatchObject({ code: 'address_refused' })
    expect(await text({ localOrigins: [origin] })).toBe('mine')
    expect(await text({ search: 'searxng', searxngUrl: `${origin}/searx/` })).toBe('mine')
    // The address of an unused search server is not allowed.
    await expect(text({ search: 'duckduckgo', searxngUrl: origin })).rejects.toMatchObject({ code: 'address_refused' })
  })
})

describe('DuckDuckGo', () => {
  const result = (title: string, href: string, snippet: string, more = '') =>
    `<div class="result results_links results_links_deep web-result ${more}"><div class="links_main links_deep result__body"><h2 class="result__title"><a rel="nofollow" class="result__a" href="${href}">${title}</a></h2><a class="result__snippet" href="${href}">${snippet}</a></div></div>`
  const search = async (body: string, status = 200) => {
    const { origin, seen } = await site(body, { status })
    return { seen, answer: await testWeb({}, at(origin)).search('two words & more', 2, signal) }
  }

  test('returns titles, target addresses and snippets without advertisements', async () => {
    const wrapped = `//duckduckgo.com/l/?uddg=${encodeURIComponent('https://a.test/x?y=1&z=2')}&amp;rut=abc`
    const { answer, seen } = await search(
      `<div id="links" class="results">${[
        result('Ad', 'https://duckduckgo.com/y.js?ad_domain=x', 'buy', 'result--ad'),
        result('First <b>one</b>', wrapped, 'about\n <b>two</b> words &amp; more'),
        result('Bad', '//duckduckgo.com/l/?uddg=javascript%3Aalert(1)', ''),
        result('Second', 'https://b.test/', ''),
        result('Third', 'https://c.test/', ''),
      ].join('')}</div>`,
    )
    expect(answer).toEqual({
      provider: 'DuckDuckGo',
      results: [
        { title: 'First one', url: 'https://a.test/x?y=1&z=2', snippet: 'about two words & more' },
        { title: 'Second', url: 'https://b.test/', snippet: '' },
      ],
    })
    expect(new URL(seen[0]?.url ?? '', 'http://x').searchParams.get('q')).toBe('two words & more')
  })

  test('can find nothing', async () => {
    expect(
      (await search('<div class="results"><div class="no-results">No results.</div></div>')).answer.results,
    ).toEqual([])
  })

  test.each([
    ['with 202', '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>', 202],
    [
      'with 200',
      '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html"><div class="anomaly-modal__mask"></div></form>',
      200,
    ],
    ['without content', '', 202],
  ])('reports a challenge page %s', async (_, body, status) => {
    await expect(search(body, status)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('challenge page'),
      next: expect.stringContaining('SearXNG'),
    })
  })

  test.each([
    [200, '<p>A new layout</p>', 'network_error'],
    [429, '', 'refused'],
    [403, '', 'refused'],
    [500, '', 'network_error'],
  ])('reports status %i %s', async (status, body, code) => {
    await expect(search(body, status)).rejects.toMatchObject({ code, next: expect.stringMatching(/./) })
  })
})

describe('SearXNG', () => {
  const search = async (body: string, options: { status?: number; type?: string } = {}) => {
    const { origin, seen } = await site(body, { type: 'application/json', ...options })
    return {
      seen,
      answer: await testWeb({ search: 'searxng', searxngUrl: `${origin}/searx` }, { refuse: nonPublicReason }).search(
        'a b',
        5,
        signal,
      ),
    }
  }

  test('is reachable on the local network below its path', async () => {
    const { answer, seen } = await search(
      JSON.stringify({
        query: 'a b',
        results: [
          { title: 'A &amp; B', url: 'https://a.test/', content: 'x', engine: 'y' },
          { title: 'C', url: 'https://c.test/', content: null },
        ],
      }),
    )
    expect(answer).toEqual({
      provider: 'SearXNG',
      results: [
        { title: 'A & B', url: 'https://a.test/', snippet: 'x' },
        { title: 'C', url: 'https://c.test/', snippet: '' },
      ],
    })
    expect(seen[0]?.url).toBe('/searx/search?q=a+b&format=json')
  })

  test.each([
    ['refuses JSON', '', { status: 403 }, 'refused', 'JSON'],
    ['requests a captcha', '<h1>Please solve the captcha</h1>', { type: 'text/html' }, 'refused', 'challenge page'],
    ['responds with another page', '<h1>Welcome</h1>', { type: 'text/html' }, 'network_error', 'could not be parsed'],
    ['responds with malformed JSON', '{', {}, 'network_error', 'could not be parsed'],
    ['responds with unexpected JSON', '{"results":[{"a":1}]}', {}, 'network_error', 'could not be parsed'],
    ['limits the rate', '', { status: 429 }, 'refused', 'limits the rate'],
  ])('reports that it %s', async (_, body, options, code, message) => {
    await expect(search(body, options)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  })

  test('must be configured', async () => {
    await expect(testWeb({ search: 'searxng' }).search('a', 5, signal)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('SearXNG'),
    })
  })
})

describe('Brave', () => {
  const search = async (
    body: string,
    { key = 'k3y', ...options }: { key?: string; status?: number; type?: string } = {},
  ) => {
    const { origin, seen } = await site(body, { type: 'application/json', ...options })
    return {
      seen,
      answer: await testWeb(
        { search: 'brave' },
        { ...at(origin), braveKey: () => Promise.resolve(key || undefined) },
      ).search('a b', 3, signal),
    }
  }

  test('is called with the key', async () => {
    const { answer, seen } = await search(
      JSON.stringify({
        web: { results: [{ title: 'A', url: 'https://a.test/', description: 'the <strong>a</strong> &lt;b&gt;' }] },
      }),
    )
    expect(answer).toEqual({
      provider: 'Brave',
      results: [{ title: 'A', url: 'https://a.test/', snippet: 'the a <b>' }],
    })
    expect(seen).toMatchObject([{ url: '/brave?q=a+b&count=3', headers: { 'x-subscription-token': 'k3y' } }])
  })

  test('can find nothing', async () => {
    expect((await search('{"type":"search"}')).answer.results).toEqual([])
  })

  test.each([
    [401, 'key'],
    [422, 'key'],
    [429, 'limits the rate'],
    [503, '503'],
  ])('explains status %i without the key', async (status, message) => {
    const error: unknown = await search('{}', { status }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: expect.stringContaining(message) })
    expect(String(error)).not.toContain('k3y')
  })

  test('must be configured', async () => {
    await expect(search('{}', { key: '' })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('No Brave key'),
    })
  })
})
