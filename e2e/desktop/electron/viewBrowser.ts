import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { findBrowser } from '../../../scripts/browser.mjs'
import { chromiumArgs } from '../../support/browser.ts'
import { config, switches } from './host.ts'

/** An event of the DevTools protocol. */
export interface ProtocolEvent {
  method: string
  params: Record<string, unknown>
  sessionId: string
}

interface Reply {
  id?: number
  result?: object
  error?: { message: string }
  method?: string
  params?: Record<string, unknown>
  sessionId?: string
}

/** The Chromium whose pages are the contents of views. Windows have another one, which the test's process drives. */
export interface ViewBrowser {
  send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>
  onEvent(listener: (event: ProtocolEvent) => void): void
}

let started: Promise<ViewBrowser> | null = null

/** Starts the browser with the first view. It ends when this process does, which closes its pipe. */
export const viewBrowser = (): Promise<ViewBrowser> => (started ??= start())

async function start(): Promise<ViewBrowser> {
  const program = await findBrowser()
  if (program === undefined) throw new Error('The desktop harness needs a Chromium for views.')
  const child = spawn(
    program,
    [
      '--headless=new',
      '--remote-debugging-pipe',
      `--user-data-dir=${join(config.state, 'views')}`,
      ...chromiumArgs,
      ...[...switches].map(([key, value]) => (value === '' ? `--${key}` : `--${key}=${value}`)),
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  )
  process.on('exit', () => child.kill('SIGKILL'))
  const [input, output] = [child.stdio[3] as Duplex, child.stdio[4] as Duplex]
  const waiting = new Map<number, { resolve(value: Record<string, unknown>): void; reject(error: Error): void }>()
  const listeners: ((event: ProtocolEvent) => void)[] = []
  let lastId = 0

  function receive(text: string): void {
    const { id, result, error, method, params = {}, sessionId = '' } = JSON.parse(text) as Reply
    if (id === undefined) {
      if (method !== undefined) for (const listener of listeners) listener({ method, params, sessionId })
      return
    }
    const entry = waiting.get(id)
    waiting.delete(id)
    if (error) entry?.reject(new Error(error.message))
    else entry?.resolve({ ...result })
  }

  let rest = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const texts = (rest + chunk).split('\0')
    rest = texts.pop() ?? ''
    for (const text of texts) receive(text)
  })
  for (const stream of [input, output]) stream.on('error', () => undefined)
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The Chromium of the views has ended.'))
    waiting.clear()
  })
  const browser: ViewBrowser = {
    send: (method, params = {}, sessionId = '') =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        input.write(`${JSON.stringify({ id, method, params, ...(sessionId !== '' && { sessionId }) })}\0`)
      }),
    onEvent: (listener) => void listeners.push(listener),
  }
  // Electron creates no contents for a window that it refuses.
  browser.onEvent(({ method, params }) => {
    const info = params['targetInfo'] as { targetId: string; openerId?: string } | undefined
    if (method === 'Target.targetCreated' && info?.openerId !== undefined)
      browser.send('Target.closeTarget', { targetId: info.targetId }).catch(() => undefined)
  })
  await browser.send('Target.setDiscoverTargets', { discover: true })
  return browser
}
