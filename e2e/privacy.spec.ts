import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { answer, say, type Scenario } from '../src/main/model/scripted/scenario.ts'
import { expect, onlyBrowser, test } from './support/app.ts'
import { lastAnswer, send } from './support/window.ts'

test(
  'a server started by the opened project receives nothing of the session, and the window contacts no other host',
  onlyBrowser,
  async ({ launch, context, request }) => {
    const seen: IncomingMessage[] = []
    const project = createServer((request, response) => {
      seen.push(request)
      response.end('<!doctype html>project page')
    }).listen(0, '127.0.0.1')
    await once(project, 'listening')
    const listening = project.address()
    const port = typeof listening === 'object' && listening ? listening.port : 0
    try {
      const strangers: string[] = []
      const own = { origin: '' }
      context.on('request', (request) => {
        const url = new URL(request.url())
        if (
          own.origin &&
          (url.protocol === 'http:' || url.protocol === 'https:') &&
          url.origin !== own.origin &&
          Number(url.port) !== port
        )
          strangers.push(request.url())
      })
      const { page, address } = await launch({ files: { 'a.txt': 'a' } })
      own.origin = new URL(page.url()).origin
      expect(page.url()).not.toContain('token')
      const other = await context.newPage()
      await other.goto(`http://127.0.0.1:${port}/`)
      expect(await context.cookies()).toEqual([])
      expect(seen.length).toBeGreaterThan(0)
      for (const { headers } of seen) {
        expect(headers.cookie).toBeUndefined()
        expect(JSON.stringify(headers)).not.toContain(own.origin)
      }
      expect(strangers).toEqual([])

      await test.step('the address works once; a second use and a foreign origin are rejected', async () => {
        const { origin, hash } = new URL(address)
        const token = hash.replace('#token=', '')
        expect(token).toMatch(/^\S{20,}$/)
        const again = await request.post(`${origin}/session`, { data: { token }, headers: { origin } })
        expect(again.status()).toBe(401)
        const foreign = await request.post(`${origin}/session`, {
          data: { token },
          headers: { origin: 'http://evil.example' },
        })
        expect(foreign.status()).toBe(403)
        const rebound = await request.get(`${origin}/`, { headers: { host: 'evil.example' } })
        expect(rebound.status()).toBe(403)
      })
    } finally {
      project.close()
    }
  },
)

test('the window loads no external image and runs no text of others', async ({ launch }) => {
  const seen: string[] = []
  const tracker = createServer((request, response) => {
    seen.push(request.url ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  await once(tracker, 'listening')
  const address = tracker.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const text = [
    `![A chart](${origin}/markdown.png?secret=1)`,
    `<img src="${origin}/html.png">`,
    `[![Badge](${origin}/badge.svg)](${origin}/page)`,
    `| a |\n|---|\n| ![In a table](${origin}/table.png) |`,
    `<style>body { background: url(${origin}/style.png) }</style>`,
    'The end.',
  ].join('\n\n')
  const scenario: Scenario = {
    name: 'images',
    turns: [{ prompt: /.*/s, steps: [{ title: 'show', play: () => answer(say(text)) }] }],
  }
  try {
    const { page, violations } = await launch({ files: { 'a.txt': 'a' }, scenario })
    await test.step('the window has no WebRTC, and text becomes neither HTML nor a script address', async () => {
      const outcome = await page.evaluate(() => {
        const attempt = (action: () => unknown) => {
          try {
            action()
            return 'done'
          } catch (error) {
            return error instanceof Error ? error.name : String(error)
          }
        }
        return [
          typeof RTCPeerConnection,
          attempt(() => {
            document.createElement('div').innerHTML = '<b>x</b>'
          }),
          attempt(() => {
            document.createElement('script').src = '/x.js'
          }),
          attempt(() => new Worker('/x.js')),
          attempt(() => {
            const { trustedTypes } = globalThis as unknown as {
              trustedTypes: { createPolicy(name: string, rules: object): void }
            }
            trustedTypes.createPolicy('own', {})
          }),
        ]
      })
      expect(outcome).toEqual(['undefined', 'TypeError', 'TypeError', 'TypeError', 'TypeError'])
      await expect.poll(() => violations.length).toBe(4)
      violations.length = 0
    })

    await test.step('an external image is never loaded, neither from an answer nor by a script in the window', async () => {
      await send(page, 'Show it.')
      await expect(lastAnswer(page)).toContainText('The end.')
      await expect(lastAnswer(page)).toContainText('Not loaded')
      expect(violations).toEqual([])
      const loaded = await page.evaluate(
        (url) =>
          new Promise((resolve) => {
            const image = new Image()
            image.onload = () => resolve('loaded')
            image.onerror = () => resolve('blocked')
            image.src = url
            document.body.append(image)
          }),
        `${origin}/script.png`,
      )
      expect(loaded).toBe('blocked')
      // Chromium may report one image twice.
      await expect.poll(() => violations.map((text) => text.split(':')[0])).toContain('img-src')
      await page.reload()
      violations.length = 0
      expect(seen).toEqual([])
    })
  } finally {
    tracker.close()
  }
})
