// Real small models on real servers (CONTRIBUTING.md).
//
//   npm run real                       prepares all weights and servers in .cache/real
//   npm run real -- llama-server       prepares some of them
//   npm run real -- start [SERVER…]    starts what is prepared, until Ctrl+C
//   npm run real -- stop               ends what a killed run left
import { preparePart, realPartNames } from '../src/main/testing/real/realParts.ts'
import {
  endLeftovers,
  notPrepared,
  realServerNames,
  startRealServer,
  type RealServer,
} from '../src/main/testing/real/realServers.ts'

const [command = '', ...rest] = process.argv.slice(2)
const ended = endLeftovers()
if (ended > 0) console.log(`Servers of an earlier run that were ended: ${ended}.`)
if (command === 'start') await start(chosen(realServerNames, rest))
else if (command !== 'stop') await prepare(chosen(realPartNames, command === '' ? [] : [command, ...rest]))

/** @returns the named ones, or all */
function chosen<N extends string>(all: readonly N[], names: readonly string[]): readonly N[] {
  const unknown = names.filter((name) => !all.some((each) => each === name))
  if (unknown.length > 0) {
    console.error(`Unknown names: ${unknown.join(', ')}. Use: ${all.join(', ')}.`)
    process.exit(2)
  }
  return names.length === 0 ? all : all.filter((name) => names.includes(name))
}

/** Prepares each part. A missing one does not stop the others. */
async function prepare(names: readonly (typeof realPartNames)[number][]): Promise<void> {
  for (const name of names) {
    const part = await preparePart(name, console.log)
    console.log('file' in part ? `${name}: ${part.file}` : `${name} is missing: ${part.missing}`)
    if ('missing' in part) process.exitCode = 1
  }
}

async function start(names: readonly (typeof realServerNames)[number][]): Promise<void> {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>()
  // npm forwards the terminal's signal to both processes, and a second one must not end this process early.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupt())
  const running: RealServer[] = []
  try {
    for (const name of names) {
      const missing = await notPrepared(name)
      if (missing !== undefined) {
        console.log(`${name} was not started: ${missing}`)
        continue
      }
      // LiteLLM forwards requests to another server.
      const behind = running.find(({ kind }) => kind === 'openai') ?? (name === 'litellm' ? await first() : undefined)
      running.push(await startRealServer(name, behind && name === 'litellm' ? { behind } : {}))
    }
    show(running)
    if (running.length > 0) await interrupted
  } finally {
    await Promise.all(running.map((server) => server.stop()))
  }

  async function first(): Promise<RealServer> {
    const server = await startRealServer('llama-server')
    running.push(server)
    return server
  }
}

/** Prints the URLs, and the line for `settings.json` with all of them. */
function show(running: readonly RealServer[]): void {
  if (running.length === 0) return
  for (const { name, baseUrl, model, key } of running)
    console.log(`${name}: ${baseUrl}, model ${model}${key === undefined ? '' : `, key ${key}`}`)
  const endpoints = running.map(({ name, kind, baseUrl }) => ({ id: name, name, kind, baseUrl, hasKey: false }))
  console.log(`\n"endpoints": ${JSON.stringify(endpoints)}\n\nPress Ctrl+C to end the servers.`)
}
