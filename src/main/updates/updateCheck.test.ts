import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createUpdateCheck, dayMs, type UpdateCheckDeps } from './updateCheck.ts'

let userData: string
beforeEach(async () => {
  userData = await mkdtemp(path.join(tmpdir(), 'tizona-update-'))
  return () => rm(userData, { recursive: true, force: true })
})

/** A feed on this machine that records the requests. */
async function feedWith(answer: (response: ServerResponse) => void) {
  const requests: { url: string | undefined; headers: object }[] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers })
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A server that listens on a port has an address object.
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest` }
}
const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value))
const newer = json({
  tag_name: 'v0.2.0',
  html_url: 'https://tizona.example/0.2.0',
  assets: [{ browser_download_url: 'https://tizona.example/file' }],
})

/** The page of each notice. */
let pages: (string | undefined)[]
beforeEach(() => {
  pages = []
})

/** Simulates a start of Tizona: a new check with the stored state. @returns the notices */
async function startAt(now: number, feed: string, options: Partial<UpdateCheckDeps> = {}): Promise<string[]> {
  const notices: string[] = []
  const check = createUpdateCheck({
    version: '0.1.0',
    userData,
    feed: () => feed,
    notify(message, url) {
      notices.push(message)
      pages.push(url)
    },
    now: () => now,
    ...options,
  })
  onTestFinished(check.stop)
  await check.checkIfDue()
  return notices
}
const start = 1_800_000_000_000

test('nothing is requested or stored until a feed is set', async () => {
  expect(await startAt(start, '')).toEqual([])
  expect(await startAt(start, '  ')).toEqual([])
  expect(await readdir(userData)).toEqual([])
})

test('a newer version is announced once, by one request a day to one address', async () => {
  const { url, requests } = await feedWith(newer)
  expect(await startAt(start, url)).toEqual([
    'Tizona 0.2.0 is available. You have 0.1.0. See https://tizona.example/0.2.0',
  ])
  expect(pages).toEqual(['https://tizona.example/0.2.0'])
  expect(await startAt(start + 1000, url)).toEqual([])
  expect(await startAt(start + dayMs - 1, url)).toEqual([])
  expect(requests).toHaveLength(1)
  expect(await startAt(start + dayMs, url)).toEqual([])
  expect(requests.map((request) => request.url)).toEqual(['/latest', '/latest'])
  expect(JSON.stringify(requests)).not.toContain('0.1.0')
  expect(await readdir(userData)).toEqual(['update-check.json'])
})

test('another feed is read at once', async () => {
  const [first, second] = [await feedWith(newer), await feedWith(json({ version: '0.3.0' }))]
  await startAt(start, first.url)
  expect(await startAt(start + 1, second.url)).toEqual(['Tizona 0.3.0 is available. You have 0.1.0.'])
})

test('requests at the same time are one', async () => {
  const { url, requests } = await feedWith(newer)
  const check = createUpdateCheck({ version: '0.1.0', userData, feed: () => url, notify: () => undefined })
  onTestFinished(check.stop)
  await Promise.all([check.checkIfDue(), check.checkIfDue()])
  expect(requests).toHaveLength(1)
})

test.each([
  ['the same version', json({ version: '0.1.0' })],
  ['an older version', json({ version: '0.0.9' })],
  ['a preview', json({ version: '0.2.0-beta.1' })],
  ['no version', json({})],
  ['a list', json([])],
  ['no JSON', (response: ServerResponse) => void response.end('<html>')],
  ['an error', (response: ServerResponse) => void response.writeHead(500).end('{"version":"9.0.0"}')],
  ['a redirect', (response: ServerResponse) => void response.writeHead(302, { location: '/other' }).end()],
  ['an endless answer', (response: ServerResponse) => void response.end('x'.repeat(10_000_000))],
  ['a closed connection', (response: ServerResponse) => void response.destroy()],
])('%s is not announced and not asked for again that day', async (_name, answer) => {
  const { url, requests } = await feedWith(answer)
  expect(await startAt(start, url)).toEqual([])
  expect(await startAt(start + 1, url)).toEqual([])
  expect(requests.map((request) => request.url)).toEqual(['/latest'])
})

test.each(['file:///etc/passwd', 'not an address'])('%s is not read', async (feed) => {
  expect(await startAt(start, feed)).toEqual([])
})

test('an address that is no web page is not part of the notice', async () => {
  const { url } = await feedWith(json({ version: '1.0.0', url: 'javascript:alert(1)' }))
  expect(await startAt(start, url)).toEqual(['Tizona 1.0.0 is available. You have 0.1.0.'])
})

test('a damaged state and a clock that was set back do not stop the checks', async () => {
  const { url, requests } = await feedWith(newer)
  await writeFile(path.join(userData, 'update-check.json'), '{')
  await startAt(start, url)
  await startAt(start - dayMs, url)
  expect(requests).toHaveLength(2)
})
