import { setTimeout as delay } from 'node:timers/promises'
import { log } from '../../base/log/log.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'
import { createBrowserApp, type BrowserApp } from '../browser/browserApp.ts'

// The browser host for one story after another, in one process: modules, grammars and their queries are loaded and
// compiled once. Only for tests, and not in installers. Started by e2e/support/storyHost.ts.

/** A message from the runner of stories. */
export type StoryHostRequest =
  /** Starts the host as `serve.js` does. `env` is the whole environment. */
  { type: 'start'; env: Record<string, string>; folder?: string | undefined; port: number } | { type: 'stop' }

/** An answer to one request. */
export type StoryHostAnswer =
  | { type: 'started'; address: string }
  /** `remaining`: types of resources that closing the host did not free. */
  | { type: 'stopped'; remaining: string[] }
  | { type: 'failed'; reason: string }

let app: BrowserApp | undefined
let before: readonly string[] = []

async function start({ env, folder, port }: Extract<StoryHostRequest, { type: 'start' }>): Promise<StoryHostAnswer> {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  // Node opens the streams at their first use.
  void [process.stdout, process.stderr]
  before = resources()
  app = await createBrowserApp(inProcessIndex)
  const [server] = await Promise.all([app.listen({ port }), folder !== undefined && app.core.openWorkspace(folder)])
  return { type: 'started', address: server.address() }
}

async function stop(): Promise<StoryHostAnswer> {
  await app?.close()
  app = undefined
  return { type: 'stopped', remaining: await remainingResources() }
}

/**
 * Returns what keeps the process busy. Without sockets to model servers: `fetch` keeps idle ones for some seconds.
 */
function resources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'TCPSocketWrap')
}

/** Returns the resources that were not there before the start, once they no longer change. */
async function remainingResources(): Promise<string[]> {
  const deadline = performance.now() + 5000
  let remaining: string[] = []
  do {
    const known = [...before]
    remaining = resources().filter((name) => {
      const index = known.indexOf(name)
      if (index !== -1) known.splice(index, 1)
      return index === -1
    })
    if (remaining.length === 0) return []
    await delay(20)
  } while (performance.now() < deadline)
  return remaining
}

// As the browser host does (hosts/shutdown.ts).
process.on('unhandledRejection', (error) => log.error('A background task failed', error))
process.on('disconnect', () => process.exit())
process.on('message', (request: StoryHostRequest) => {
  void (request.type === 'start' ? start(request) : stop())
    .catch((error: unknown): StoryHostAnswer => {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return { type: 'failed', reason }
    })
    .then((answer) => process.send?.(answer))
})
