// Runs other agents that support the Agent Client Protocol in Tizona's panel, against a scripted model on this machine:
// a read, an edit, a new file, a command, a refusal, a write outside the folder, a cancellation, and the continuation
// after a restart. A development tool, not part of `npm test`. You install the agents (bench/acpAgents/agents.ts).
//
//   node bench/acp-agents.ts --installed FOLDER [--only NAME] [--sandbox] [--verbose]
//
// FOLDER   has the agents' packages in `node_modules`
// --only   agents whose name contains NAME
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { ConversationItem } from '../src/shared/agent/conversation.ts'
import { createCore, type Core } from '../src/main/core.ts'
import { findInstallation } from '../src/main/hosts/installation.ts'
import { runTurn } from '../src/main/core/runTurn.ts'
import { inProcessIndex } from '../src/main/testing/inProcessIndex.ts'
import { realAgents, type RealAgent } from './acpAgents/agents.ts'
import { startModelServer } from './acpAgents/modelServer.ts'

const { values } = parseArgs({
  options: {
    installed: { type: 'string' },
    only: { type: 'string', default: '' },
    sandbox: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const { only, sandbox, verbose } = values
if (!values.installed) throw new Error('--installed is required.')
const installed = resolve(values.installed)

const turnMs = 90_000
const never = new AbortController().signal

async function run(agent: RealAgent): Promise<void> {
  // Codex refuses a home folder inside the system's temporary folder.
  const place = await realpath(await mkdtemp(join(installed, 'run-')))
  const workspace = join(place, 'workspace')
  const home = join(place, 'home')
  await mkdir(workspace)
  await mkdir(home)
  await writeFile(join(workspace, 'a.txt'), 'one\n')
  const server = await startModelServer(workspace)
  const where = { installed, home, url: server.url }
  await agent.prepare?.(where)
  const { command, args, env } = agent.command(where)
  const core = await createCore({
    platform: {
      host: 'headless',
      version: '1.0.0',
      userData: join(place, 'user'),
      resources: findInstallation().resources,
      fork: inProcessIndex,
    },
    settings: {
      agents: [
        {
          id: 'real',
          name: agent.name,
          command,
          args,
          env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), ...env },
          folders: sandbox ? [installed, home] : [],
          sandbox,
        },
      ],
    },
    attended: true,
  })
  try {
    await play(core, agent, place, workspace, server.requests)
  } finally {
    await core.dispose()
    await server.close()
    await rm(place, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function play(
  core: Core,
  agent: RealAgent,
  place: string,
  workspace: string,
  requests: () => number,
): Promise<void> {
  let refuses = false
  let asked: string[] = []
  core.subscribe((...event) => {
    const [name, payload] = event
    if (name !== 'approval.requested' || payload === null || !('requestedAt' in payload)) return
    asked.push(
      `${payload.tool} (${payload.risk}${payload.command ? `: ${payload.command}` : ''}${payload.preview ? `, ${payload.preview.kind}` : ''})`,
    )
    const decision = refuses ? { kind: 'refuse' as const, reason: 'no' } : { kind: 'once' as const }
    void core.handlers['approvals.decide']({ requestId: payload.id, decision }, never)
  })
  await core.openWorkspace(workspace)
  const { info } = await core.handlers['conversations.create']({}, never)
  await core.handlers['conversations.update']({ id: info.id, agent: 'real', mode: 'safe' }, never)
  const items = async (): Promise<ConversationItem[]> =>
    (await core.handlers['conversations.open']({ id: info.id }, never)).items

  async function turn(title: string, text: string, cancelAfter?: (signal: AbortController) => void): Promise<string> {
    asked = []
    const before = (await items()).length
    const stop = new AbortController()
    cancelAfter?.(stop)
    const started = performance.now()
    const outcome = await runTurn(core, {
      id: info.id,
      text,
      interrupted: AbortSignal.any([stop.signal, AbortSignal.timeout(turnMs)]),
    })
    const ms = Math.round(performance.now() - started)
    const own = (await items()).slice(before)
    const cards = own.flatMap((item) =>
      item.kind === 'tool' ? [`${item.name} ${item.state} ${item.result?.view.kind ?? ''}`.trim()] : [],
    )
    const said = own.flatMap((item) => (item.kind === 'assistant' || item.kind === 'notice' ? [item.text] : []))
    console.log(
      `${agent.name}\t${title}\t${outcome} in ${ms} ms\tasked: ${asked.join('; ') || 'nothing'}\tcards: ${cards.join('; ') || 'none'}`,
    )
    if (verbose || outcome === 'endpoint_failed') console.log(`\t${said.join(' | ').slice(0, 600)}`)
    if (verbose)
      for (const item of own)
        if (item.kind === 'tool')
          console.log(
            `\t${JSON.stringify({ name: item.name, arguments: item.arguments, text: item.result?.text, view: item.result?.view }).slice(0, 600)}`,
          )
    return said.join('\n')
  }
  const say = (what: string, ok: boolean): void => console.log(`${agent.name}\t  ${ok ? 'ok' : 'NOT OK'}: ${what}`)
  const text = (name: string): Promise<string> => readFile(join(workspace, name), 'utf8').catch(() => '(missing)')

  say('answers', (await turn('hello', 'HELLO.')).includes('Hello from the model.'))
  say('reads', (await turn('read', 'READ the file.')).includes('one'))
  await turn('edit', 'EDIT the file.')
  say('edits', (await text('a.txt')) === 'two\n')
  await turn('write', 'WRITE a file.')
  say('writes', (await text('b.txt')) === 'by the model\n')
  await turn('run', 'RUN a command.')
  say('runs a command', (await text('c.txt')) === 'ran\n')
  const review = await core.handlers['review.list']({ scope: { kind: 'pending' } }, never)
  say(`the review has ${review.files.map(({ path }) => path).join(', ')}`, review.files.length === 3)
  await rm(join(workspace, 'b.txt'), { force: true })
  refuses = true
  await turn('refused write', 'WRITE a file.')
  say('a refused write is not made', !existsSync(join(workspace, 'b.txt')))
  refuses = false
  await turn('outside', 'OUTSIDE write a file.')
  say('nothing is written outside without approval', !existsSync(join(place, 'outside.txt')) || asked.length > 0)
  const before = requests()
  await turn('cancel', 'HOLD on.', (stop) => {
    const timer = setInterval(() => {
      if (requests() === before) return
      clearInterval(timer)
      stop.abort()
    }, 50)
  })
  say('answers after the cancellation', (await turn('hello again', 'HELLO.')).includes('Hello from the model.'))
  await core.handlers['workspace.close']({}, never)
  await core.openWorkspace(workspace)
  const continued = await turn('after a restart', 'HELLO.')
  say('continues after a restart', continued.includes('Hello') && !continued.includes('does not know'))
}

for (const agent of realAgents) {
  if (!agent.name.includes(only)) continue
  try {
    await run(agent)
  } catch (error) {
    console.log(`${agent.name}\tFAILS: ${error instanceof Error ? error.stack : String(error)}`)
  }
}
process.exit(0)
