import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { expect, onlyBrowser, test } from './support/app.ts'

test(
  'a server that the opened project starts receives nothing of the session, and the window asks nobody else',
  onlyBrowser,
  async ({ launch, context }) => {
    const seen: IncomingMessage[] = []
    const project = createServer((request, response) => {
      seen.push(request)
      response.end('<!doctype html>project page')
    }).listen(0, '127.0.0.1')
    await once(project, 'listening')
    const address = project.address()
    const port = typeof address === 'object' && address ? address.port : 0
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
      const { page } = await launch({ files: { 'a.txt': 'a' } })
      own.origin = new URL(page.url()).origin
      expect(page.url()).not.toContain('token')
      const other = await context.newPage()
      await other.goto(`http://127.0.0.1:${port}/`)
      expect(await context.cookies()).toEqual([])
      expect(seen.length).toBeGreaterThan(0)
      for (const request of seen) {
        expect(request.headers.cookie).toBeUndefined()
        expect(JSON.stringify(request.headers)).not.toContain(own.origin)
      }
      expect(strangers).toEqual([])
    } finally {
      project.close()
    }
  },
)

test(
  'the address works once; another use of it, and a foreign origin, are turned away',
  onlyBrowser,
  async ({ launch, request }) => {
    const { address } = await launch({ files: { 'a.txt': 'a' } })
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
  },
)
