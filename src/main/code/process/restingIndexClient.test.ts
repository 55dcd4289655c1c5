import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { forkNode, type ForkProcess } from '../../base/childProcess.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { createRestingIndexClient, type RestingIndexClient } from './restingIndexClient.ts'

const grammars = path.join(import.meta.dirname, '../../../../resources/grammars')
const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function open() {
  const [folder, data] = await Promise.all([
    temporaryFolder({ 'a.ts': 'export function rested() {}\n' }),
    temporaryFolder(),
  ])
  const exits: string[] = []
  const notices: string[] = []
  const onRestarted = vi.fn()
  const fork: ForkProcess = (module, given, events) =>
    forkNode(module, given, {
      ...events,
      onExit(how) {
        exits.push(how)
        events.onExit(how)
      },
    })
  const client = createRestingIndexClient({
    fork,
    engine: { root: folder.root, database: path.join(data.root, 'index.db'), grammars },
    idleTime: 20,
    onNotice: (message) => notices.push(message),
    onRestarted,
  })
  opened.push(folder.remove, data.remove, () => client.close())
  await client.call('setFiles', ['a.ts'])
  return { client, exits, notices, onRestarted }
}

const names = async (client: RestingIndexClient) =>
  (await client.call('search', [{ query: 'rested', limit: 10 }])).map(({ name }) => name)

test('an unused process ends, and the next calls get their answers from another one', async () => {
  const { client, exits, notices, onRestarted } = await open()
  await vi.waitFor(() => expect(exits).toEqual(['exit code 0']), 20_000)
  expect(client.asleep).toBe(true)
  const [found, outline] = await Promise.all([names(client), client.call('outline', ['a.ts'])])
  expect(found).toEqual(['rested'])
  expect(outline.symbols).toHaveLength(1)
  expect(onRestarted).toHaveBeenCalledTimes(1)
  expect(notices).toEqual([])
})

test('a call while the unused process ends is answered by the next one', async () => {
  const { client, exits, notices } = await open()
  await vi.waitFor(() => expect(client.asleep).toBe(true), { timeout: 20_000, interval: 1 })
  expect(exits).toEqual([])
  expect(await names(client)).toEqual(['rested'])
  expect(notices).toEqual([])
})

test('a process that is not needed any more is closed while it ends', async () => {
  const { client, exits } = await open()
  await vi.waitFor(() => expect(client.asleep).toBe(true), { timeout: 20_000, interval: 1 })
  await client.close()
  expect(exits).toEqual(['exit code 0'])
  await expect(names(client)).rejects.toThrow('closed')
})
