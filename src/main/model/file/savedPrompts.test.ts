import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { processOf } from '../../base/processIdentity.ts'
import type { ModelClient } from '../modelClient.ts'
import { setUpModelFiles } from '../testing/modelFileEndpoints.ts'
import { chatRequest, collect } from '../testing/modelServer.ts'
import { writeTinyModel } from '../testing/tinyModel.ts'

const seconds = 60_000

let talker: string
beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tizona-gguf-'))
  talker = await writeTinyModel(path.join(folder, 'Talker.gguf'), { callsTools: false })
  return () => rm(folder, { recursive: true, force: true })
})

/** Sends a prompt. @returns its size, and what was in the context, in tokens */
async function read(client: ModelClient, text: string, isAside = false) {
  const messages = [{ role: 'user' as const, content: text }]
  const events = await collect(client, chatRequest({ model: 'Talker', messages, maxTokens: 1, isAside }))
  const usage = events.find((event) => event.kind === 'usage')?.usage
  return { size: usage?.promptTokens ?? 0, cached: usage?.cachedTokens ?? 0 }
}
const conversation = 'the path and the file '.repeat(200)
const question = 'function user model '.repeat(100)

async function setUpStates() {
  const stateFolder = path.join(await mkdtemp(path.join(tmpdir(), 'tizona-gguf-states-')), 'states')
  onTestFinished(() => rm(path.dirname(stateFolder), { recursive: true, force: true }))
  const { endpoints, open } = await setUpModelFiles({ stateFolder })
  const { endpoint } = await open(talker)
  return { stateFolder, endpoints, endpoint, client: endpoints.client(endpoint.id) }
}

test(
  'the prompt of a conversation stays computed while sub-agents and titles use the context',
  { timeout: seconds },
  async () => {
    const { client, stateFolder, endpoints, endpoint } = await setUpStates()
    const { size } = await read(client, conversation)
    await read(client, question, true)
    await read(client, `${question} and more`, true)
    const next = await read(client, `${conversation}with another message`)
    expect(next.cached).toBeGreaterThan(size - 10)
    await read(client, question, true)
    expect((await read(client, `${conversation}with another message and more`)).cached).toBeGreaterThan(next.size - 10)
    const names = (await readdir(stateFolder)).filter((name) => !name.endsWith('.bin'))
    expect(names).toHaveLength(2)
    for (const name of names) {
      const { mode, size: bytes } = await stat(path.join(stateFolder, name))
      expect(bytes).toBeGreaterThan(100_000)
      if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600)
    }
    await endpoints.remove(endpoint.id)
    await expect.poll(() => readdir(stateFolder)).toEqual([])
  },
)

test(
  'the prompt of a conversation is read again if its file is damaged or cannot be created',
  { timeout: seconds },
  async () => {
    const { client, stateFolder } = await setUpStates()
    await read(client, conversation)
    await read(client, question, true)
    const name = (await readdir(stateFolder)).find((each) => !each.endsWith('.bin'))
    await writeFile(path.join(stateFolder, name ?? ''), 'damaged')
    for (let round = 0; round < 2; round++) {
      expect((await read(client, conversation)).cached).toBeLessThan(20)
      await read(client, question, true)
    }
    const folder = path.join(stateFolder, name ?? '')
    const { endpoints, open } = await setUpModelFiles({ stateFolder: folder })
    const { endpoint } = await open(talker)
    expect((await read(endpoints.client(endpoint.id), conversation)).size).toBeGreaterThan(500)
  },
)

test('the prompts of guided turns stay computed in any order, up to eight', { timeout: seconds }, async () => {
  const { client, stateFolder } = await setUpStates()
  const words = ['the', 'user', 'path', 'code', 'file', 'model', 'tool', 'line', 'text', 'name', 'read']
  const prompt = (word: string) => `${word} ${'and a result '.repeat(200)}`
  for (const word of words.slice(0, 4)) await read(client, prompt(word))
  for (const word of words.slice(0, 4).toReversed()) {
    const { size, cached } = await read(client, `${prompt(word)}once more`)
    expect(size - cached).toBeLessThan(20)
  }
  for (const word of words) await read(client, prompt(word))
  expect((await readdir(stateFolder)).filter((name) => !name.endsWith('.bin'))).toHaveLength(8)
})

test('the prompt of a process that was killed is removed by the next one', { timeout: seconds }, async () => {
  const { client, stateFolder } = await setUpStates()
  await mkdir(stateFolder)
  const parent = processOf(process.ppid)
  const running = `${parent.pid}-${parent.start}-0.bin`
  const ended = [`${spawnSync(process.execPath, ['-e', '']).pid}--0.bin`, `${process.pid}-1-0.bin`]
  // The id of a process that was killed is that of another one now.
  if (parent.start !== '') ended.push(`${parent.pid}-1-0.bin`)
  for (const name of [running, ...ended]) await writeFile(path.join(stateFolder, name), 'a prompt')
  await read(client, question)
  const names = await readdir(stateFolder)
  expect(names).toHaveLength(2)
  expect(names).toContain(running)
})
