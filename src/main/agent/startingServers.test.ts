import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createCore, type Core } from '../core.ts'
import { answer, say } from '../model/scripted/scenario.ts'
import { startOneSlotServer, type OneSlotServer } from '../model/testing/oneSlotServer.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { headlessPlatform } from '../testing/headlessPlatform.ts'

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined
let server: OneSlotServer | undefined
let core: Core | undefined
afterEach(async () => {
  await core?.dispose()
  await server?.close()
  await folder?.remove()
})

test('a hanging MCP server delays no message; the chat names it, and its tools join with a later message', async () => {
  folder = await temporaryFolder({ 'workspace/a.txt': '', 'user/': '' })
  const ready = path.join(folder.root, 'ready')
  server = await startOneSlotServer({ window: 32_768, slots: 1, respond: () => answer(say('Hello!')) })
  const fixture = path.join(import.meta.dirname, '../mcp/testing/fixtureServer.ts')
  core = await createCore({
    platform: { ...headlessPlatform(`${folder.root}/user`), host: 'browser' },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: server.url, hasKey: false }],
      model: { endpointId: 'e', model: 'one-slot' },
      warmUp: 'off',
    },
    trustWorkspace: true,
  })
  const { handlers, subscribe, openWorkspace } = core
  const definition = { type: 'stdio' as const, command: process.execPath, args: [fixture, 'waits', ready], env: {} }
  await handlers['mcp.save']({ name: 'late', definition, secrets: {} }, never)
  await openWorkspace(`${folder.root}/workspace`)
  const stateOfServer = async () => (await handlers['mcp.state']({}, never)).servers[0]?.state
  // Before any message.
  await vi.waitFor(async () => expect(await stateOfServer()).toBe('starting'))

  const { info } = await handlers['conversations.create']({}, never)
  const events: string[] = []
  subscribe((name, payload) => events.push(`${name} ${JSON.stringify(payload)}`))
  const send = async (text: string) => {
    const before = events.length
    await handlers['conversations.send']({ id: info.id, text }, never)
    await vi.waitFor(() => expect(events.slice(before).join('\n')).toContain('conversation.turnEnded'))
    return events.slice(before).join('\n')
  }
  const first = await send('Hi.')
  expect(first).toContain('The MCP server \\"late\\" is still starting.')
  expect(first).not.toContain('Starting MCP servers')
  expect(await stateOfServer()).toBe('starting')
  const offered = () => JSON.stringify(server?.prompts.at(-1)?.body['tools'])
  expect(offered()).not.toContain('late__shout')

  await writeFile(ready, '')
  await vi.waitFor(async () => expect(await stateOfServer()).toBe('connected'))
  expect(await send('Again.')).toContain('Added: late__')
  expect(offered()).toContain('late__shout')
})
