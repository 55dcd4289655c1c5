import { mkdtemp, readFile, rm, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Events } from '../../../shared/bridge/protocol.ts'
import { startScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { answer, say } from '../../model/scripted/scenario.ts'
import { roundsOf, seededRandom } from '../../testing/longForm.ts'
import type { RemoteCore } from './remoteCore.ts'
import { openRemote, type OpenedRemote } from './testing/remoteWindow.ts'
import { writeSmallBundle } from './testing/smallBundle.ts'
import { missingSshProgram, startSshServer, type SshServer } from './testing/sshServer.ts'

// A window whose connection is cut at random moments: nothing that the user typed is lost, and no turn ends.

const cuts = roundsOf(50)
const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ')

let server: SshServer
let folder: string
let endpoint: Awaited<ReturnType<typeof startScriptedEndpoint>>
let window: OpenedRemote
const cores: RemoteCore[] = []

describe.skipIf(missingSshProgram !== undefined)('a connection that is cut at random moments', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tizona-cuts-'))
    await writeSmallBundle(folder)
    server = await startSshServer()
    process.env['TIZONA_SSH_CONFIG'] = server.config
    endpoint = await startScriptedEndpoint({
      name: 'words',
      turns: [{ prompt: /./, steps: [{ title: 'words', play: () => ({ ...answer(say(words)), pace: 1 }) }] }],
    })
    await mkdir(join(server.home, 'data'))
    await writeFile(
      join(server.home, 'data', 'settings.json'),
      JSON.stringify({
        endpoints: [{ id: 'scripted', name: 'Scripted', kind: 'openai', baseUrl: endpoint.url }],
        model: { endpointId: 'scripted', model: 'scripted' },
      }),
    )
    window = await openRemote(
      { address: 'box', bundles: folder, userData: join(folder, 'desktop'), folder: join(server.home, 'project') },
      (core) => cores.push(core),
    )
  }, 60_000)
  afterAll(async () => {
    for (const core of cores) await core.dispose()
    delete process.env['TIZONA_SSH_CONFIG']
    await endpoint.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it(
    `loses no key and no turn in ${cuts} cuts`,
    async () => {
      const random = seededRandom()
      const keys = join(server.home, 'project', 'keys.txt')
      const terminal = await window.request('terminal.open', { columns: 80, rows: 24 })
      // Each key arrives at the program as it was typed.
      await window.request('jobs.input', { id: terminal.id, data: "stty raw -echo; echo rea''dy; cat > keys.txt\n" })
      await vi.waitFor(
        async () => expect(await window.request('jobs.output', { id: terminal.id })).toContain('ready'),
        {
          timeout: 20_000,
        },
      )

      const typed: string[] = []
      const inputs: Promise<unknown>[] = []
      let isCutting = true
      async function type(): Promise<void> {
        for (let n = 0; isCutting; n++) {
          const key = String.fromCharCode(97 + (n % 26))
          typed.push(key)
          inputs.push(window.request('jobs.input', { id: terminal.id, data: key }))
          await delay(random.integer(8))
        }
      }
      let turns = 0
      const ids: string[] = []
      async function talk(): Promise<void> {
        while (isCutting || turns === 0) {
          const { info } = await window.request('conversations.create', {})
          ids.push(info.id)
          await window.request('conversations.send', { id: info.id, text: `turn ${turns}` })
          await window.event('conversation.turnEnded', (ended) => ended.conversationId === info.id)
          turns += 1
        }
      }
      const typing = type()
      const talking = talk()
      for (let cut = 0; cut < cuts; cut++) {
        await delay(random.integer(700))
        const before = window.events.length
        server.cut()
        // Some cuts meet a connection that is being made.
        if (random.integer(3) > 0)
          await vi.waitFor(
            () =>
              expect(
                window.events.slice(before).some(({ name, payload }) => {
                  // The name ties the payload to the event.
                  return name === 'remote.changed' && (payload as Events['remote.changed']).connection === 'connected'
                }),
              ).toBe(true),
            { timeout: 30_000 },
          )
      }
      isCutting = false
      await Promise.all([typing, talking])
      await Promise.all(inputs)

      await vi.waitFor(async () => expect(await readFile(keys, 'utf8')).toBe(typed.join('')), { timeout: 10_000 })
      for (const id of ids) {
        const ended = window.events.filter(
          ({ name, payload }) =>
            name === 'conversation.turnEnded' && (payload as Events['conversation.turnEnded']).conversationId === id,
        )
        expect(ended.map(({ payload }) => payload)).toEqual([{ conversationId: id, outcome: 'done' }])
        const { items } = await window.request('conversations.open', { id })
        expect(items.at(-1)).toMatchObject({ kind: 'assistant', text: words })
        const streamed = window.events.flatMap(({ name, payload }) => {
          if (name !== 'conversation.delta') return []
          const { conversationId, text } = payload as Events['conversation.delta']
          return conversationId === id && text !== undefined ? [text] : []
        })
        // Each part exactly once and in order. The beginning may be in the event of the item.
        expect(words.endsWith(streamed.join(''))).toBe(true)
      }
      expect(window.events.some(({ name }) => name === 'app.reconnected')).toBe(false)
      expect(server.connections()).toBeGreaterThan(cuts / 2)
      console.log(`${cuts} cuts, ${server.connections()} connections, ${typed.length} keys, ${turns} turns: 0 lost`)
    },
    cuts * 6000 + 60_000,
  )
})
