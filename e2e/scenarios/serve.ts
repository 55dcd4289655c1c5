import { parseArgs } from 'node:util'
import { startScriptedEndpoint } from '../../src/main/model/scripted/scriptedEndpoint.ts'
import { scenarios } from './index.ts'

/**
 * `node e2e/scenarios/serve.ts NAME [--port N] [--minutes N]`: serves a scenario for manual tests. Stops after some
 * minutes (default 30).
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '0' }, minutes: { type: 'string', default: '30' } },
})
const byName = Object.values(scenarios).find((candidate) => candidate.name === positionals[0])
const port = Number(values.port)
const minutes = Number(values.minutes)
if (!byName || !Number.isInteger(port) || !(minutes > 0)) {
  console.error(
    `usage: node e2e/scenarios/serve.ts NAME [--port N] [--minutes N]\nscenarios: ${Object.values(scenarios)
      .map(({ name }) => name)
      .join(', ')}`,
  )
  process.exit(2)
}
const endpoint = await startScriptedEndpoint(byName, { port })
console.log(
  `${byName.name} at ${endpoint.url} for ${minutes} min; it expects: ${byName.turns.map((turn) => String(turn.prompt)).join(', ')}`,
)
const stop = () => void endpoint.close()
setTimeout(stop, minutes * 60_000).unref()
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
