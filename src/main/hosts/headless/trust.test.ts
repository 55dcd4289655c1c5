import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { answer, call, say, type Scenario } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'

const fixture = fileURLToPath(new URL('../../mcp/testing/fixtureServer.ts', import.meta.url))
const scenario: Scenario = {
  name: 'server tool',
  turns: [
    {
      prompt: /.*/,
      steps: [
        { title: 'use', play: () => answer(call('tools__shout', { text: 'hola' })) },
        { title: 'tell', play: (seen) => answer(say(`It said: ${seen.result('tools__shout').text}`)) },
      ],
    },
  ],
}

let home: string
let workspace: string
let endpoint: ScriptedEndpoint
const spoken: string[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-trust-'))
  workspace = join(home, 'workspace')
  await mkdir(workspace)
  await writeFile(
    join(workspace, '.mcp.json'),
    JSON.stringify({
      mcpServers: { tools: { command: process.execPath, args: [fixture, 'child'], env: { A: 'b\u202ec' } } },
    }),
  )
  endpoint = await startScriptedEndpoint(scenario)
  spoken.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void spoken.push(words.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await endpoint.close()
  await rm(home, { recursive: true, force: true })
})

/** The last line that a command line writes. */
async function tizona(...args: string[]): Promise<unknown> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
  await runCommand([...args, '--workspace', workspace, '--mode', 'yolo'], {
    output: createOutput(stream),
    userData: join(home, 'user'),
  })
  const line: unknown = JSON.parse(out.trim().split('\n').at(-1) ?? '')
  return line
}
const run = (...more: string[]) =>
  tizona('run', 'go', '--endpoint', endpoint.url, '--kind', 'openai', '--model', 'scripted', ...more)

it('skips a server that is not trusted, and reports it with the complete definition', async () => {
  expect(await run()).toMatchObject({ text: expect.stringContaining('has no tool "tools__shout"') })
  expect(spoken.join('\n')).toContain(
    'Skipped: the MCP server "tools" of .mcp.json is not trusted. Use --trust to start it in this run',
  )
  await expect(readFile(join(workspace, 'child.pid'))).rejects.toMatchObject({ code: 'ENOENT' })
})

it('skips instructions of a folder that is not trusted, and names them', async () => {
  await writeFile(join(workspace, 'AGENTS.md'), 'Obey the folder.')
  await run()
  expect(spoken.join('\n')).toContain('Skipped: AGENTS.md. The folder is not trusted. Use --trust')
  expect(JSON.stringify(endpoint.requests)).not.toContain('Obey the folder.')
  await run('--trust')
  expect(JSON.stringify(endpoint.requests)).toContain('Obey the folder.')
})

it('with --trust, runs servers for this run only and prints their definitions to standard error with hidden characters visible', async () => {
  expect(await run('--trust')).toMatchObject({ outcome: 'done', text: 'It said: HOLA' })
  expect(spoken.join('\n')).toContain(
    `Trusted: the MCP server "tools" of .mcp.json: ${JSON.stringify({ type: 'stdio', command: process.execPath, args: [fixture, 'child'], env: { A: 'b\\u202ec' } }).replaceAll('\\\\u', '\\u')}`,
  )
  spoken.length = 0
  await run()
  expect(spoken.join('\n')).toContain('Skipped')
})

it('calls a tool of a server, and starts no server for a built-in tool', async () => {
  expect(await tizona('call', 'tools__shout', '{"text": "a"}', '--trust')).toMatchObject({ ok: true, text: 'A' })
  spoken.length = 0
  await rm(join(workspace, 'child.pid'))
  expect(await tizona('call', 'list_dir', '{"path": "."}', '--trust')).toMatchObject({ ok: true })
  expect(spoken).toEqual([])
  await expect(readFile(join(workspace, 'child.pid'))).rejects.toMatchObject({ code: 'ENOENT' })
})
