import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, say, step } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'

let home: string
let endpoint: ScriptedEndpoint

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-doctor-test-'))
  await mkdir(join(home, 'project'))
  await mkdir(join(home, 'user'))
  endpoint = await startScriptedEndpoint({
    name: 'doctor',
    turns: [
      { prompt: /notes/, steps: [step('reads', call('read_file', { path: 'notes.txt' })), step('ends', say('.'))] },
    ],
  })
  await writeFile(
    join(home, 'user', 'settings.json'),
    JSON.stringify({
      endpoints: [
        { id: 'good', name: 'Good server', kind: 'openai', baseUrl: endpoint.url },
        { id: 'gone', name: 'Stopped server', kind: 'openai', baseUrl: 'http://127.0.0.1:9' },
      ],
    }),
  )
})
afterEach(async () => {
  await endpoint.close()
  await rm(home, { recursive: true, force: true })
})

async function doctor(...args: string[]): Promise<{ code: number; out: string }> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const code = await runCommand(['doctor', ...args], { output: createOutput(stream), userData: join(home, 'user') })
  return { code, out }
}

test('names what was found and what does not work, with a way to mend it', async () => {
  const { code, out } = await doctor('--models')
  expect(out).toContain(`  + Node.js: ${process.versions.node}\n`)
  expect(out).toMatch(/ {2}\+ Good server: .*The model calls tools through the API\./)
  expect(out).toMatch(/ {2}! Stopped server: .+/)
  expect(out).toMatch(/ {2}\+ TypeScript 7 \(TypeScript, JavaScript\): TypeScript 7.* included in Tizona\./)
  expect(out).toContain('1 problem, marked with "!".')
  expect(code).toBe(1)
})

test('advises to start a configured server that does not respond, not to install another one', async () => {
  const gone = { id: 'gone', name: 'Stopped server', kind: 'openai', baseUrl: 'http://127.0.0.1:9' }
  await writeFile(join(home, 'user', 'settings.json'), JSON.stringify({ endpoints: [gone] }))
  const { out } = await doctor()
  expect(out).toMatch(/ {2}! Model: Stopped server does not respond\.\n.*Start it, or correct its address/)
  expect(out).not.toContain('Install Ollama')
})

test('runs no program of a folder that is not trusted', async () => {
  const ran = join(home, 'project', 'ran')
  await mkdir(join(home, 'project', '.venv/bin'), { recursive: true })
  await writeFile(join(home, 'project', '.venv/bin/python'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
  const { out } = await doctor('--workspace', join(home, 'project'), '--json')
  const findings = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { group: string; name: string; detail: string; fix?: string }) // One object per line.
  const groups = ['Folder', 'Debuggers', 'Notebooks', 'Language servers']
  expect(findings.filter(({ group }) => groups.includes(group))).toMatchObject([
    { group: 'Folder', detail: expect.stringContaining('not trusted'), fix: expect.stringContaining('--trust') },
  ])
  await expect(rm(ran)).rejects.toThrow('ENOENT')
})
