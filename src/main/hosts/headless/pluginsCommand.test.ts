import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { packZip } from '../../testing/packZip.ts'
import { writeTree } from '../../tools/testing/toolContext.ts'
import { runCommand } from './commandDispatch.ts'
import { exitCodes } from './commandHelp.ts'
import { createOutput } from './standardOutput.ts'

let home: string
let folder: string
const spoken: string[] = []

const files = {
  '.claude-plugin/plugin.json': JSON.stringify({ name: 'forge', version: '1.0.0' }),
  'commands/inspect.md': '---\ndescription: Inspects\n---\nInspect.\n',
  'hooks/hooks.json': JSON.stringify({
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'no-such-program' }] }] },
  }),
  '.mcp.json': JSON.stringify({ anvil: { command: 'no-such-program-of-forge' } }),
}

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-plugins-'))
  folder = join(home, 'forge')
  await writeTree(folder, files)
  spoken.length = 0
  vi.spyOn(console, 'error').mockImplementation((...words: unknown[]) => void spoken.push(words.join(' ')))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(home, { recursive: true, force: true })
})

async function tizona(...args: string[]): Promise<{ code: number; out: string }> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const code = await runCommand(args, { output: createOutput(stream), userData: join(home, 'user') })
  return { code, out }
}
const plugins = (...args: string[]) => tizona('plugins', ...args)

it('adds, trusts, disables and removes a plug-in, and prints all that it brings', async () => {
  const { code, out } = await plugins('add', folder)
  expect(code).toBe(exitCodes.done)
  expect(out).toMatch(/^forge \(1\.0\.0, untrusted\)\n {2}from .*forge, SHA-256 [\da-f]{64}\n/)
  expect(out).toContain('  hook Stop: no-such-program\n')
  expect(out).toContain('  MCP server forge:anvil: {"type":"stdio","command":"no-such-program-of-forge"')
  expect(out).toContain('  prompt /forge:inspect: Inspects\n')
  expect(spoken.join()).toContain('tizona plugins trust forge')
  expect((await plugins('trust', 'forge')).out).toContain('forge (1.0.0, trusted)')
  await plugins('disable', 'forge')
  expect((await plugins('list')).out).toContain('forge (1.0.0, trusted, disabled)')
  await plugins('enable', 'forge')
  const [line = ''] = (await plugins('list', '--json')).out.split('\n')
  expect(JSON.parse(line)).toMatchObject({ name: 'forge', state: 'trusted', enabled: true })
  expect((await plugins('remove', 'forge')).code).toBe(exitCodes.done)
  expect((await plugins('list')).out).toBe('')
  expect((await plugins('remove', 'forge')).code).toBe(exitCodes.failed)
})

it('prints the difference of an update, and accepts it only with --yes', async () => {
  await plugins('add', folder, '--trust')
  expect((await plugins('check')).out).toBe('forge: no update.\n')
  await writeFile(join(folder, 'commands', 'inspect.md'), '---\ndescription: Inspects\n---\nInspect twice.\n')
  expect((await plugins('check', 'forge')).out).toBe('forge: update 1.0.0\n')
  const shown = await plugins('update', 'forge')
  expect(shown.out).toContain('-Inspect.\n+Inspect twice.')
  const [, hash = ''] = /--yes --hash ([\da-f]{32})"/.exec(spoken.join()) ?? []
  const other = await plugins('update', 'forge', '--yes', '--hash', 'a'.repeat(32))
  expect([other.code, other.out]).toEqual([exitCodes.failed, ''])
  expect(spoken.join()).toContain(`The update of forge is ${hash}, not aaaa`)
  const lines = (await plugins('update', 'forge', '--json')).out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { name: 'forge', update: { version: '1.0.0' }, changes: [{ path: 'commands/inspect.md' }] },
  ])
  expect((await plugins('list')).out).toContain('  update: 1.0.0')
  expect((await plugins('update', 'forge', '--yes', '--hash', hash)).out).toContain('forge (1.0.0, trusted)')
  // Another archive of the plug-in is an update too.
  await writeFile(join(home, 'forge.zip'), packZip(files))
  await plugins('add', join(home, 'forge.zip'))
  expect((await plugins('list')).out).toContain('  update: 1.0.0')
  expect((await plugins('update', 'forge', '--yes')).out).toContain('from forge.zip')
})

it('checks all plug-ins, although the source of one is gone or is an archive', async () => {
  const [lost, packed] = [join(home, 'lost'), join(home, 'packed.zip')]
  await writeTree(lost, { 'commands/a.md': 'A' })
  await plugins('add', lost)
  await plugins('add', folder)
  for (const text of ['A', 'B']) {
    const manifest = JSON.stringify({ name: 'packed' })
    await writeFile(packed, packZip({ '.claude-plugin/plugin.json': manifest, 'commands/a.md': text }))
    await plugins('add', packed)
  }
  await rm(lost, { recursive: true })
  await writeFile(join(folder, 'commands', 'inspect.md'), 'Inspect twice.\n')
  const { code, out } = await plugins('check')
  expect(code).toBe(exitCodes.failed)
  expect(out).toMatch(/^forge: update 1\.0\.0\npacked: update [\da-f]{32}\n$/)
  expect(spoken.join()).toContain(`lost: ${lost} does not exist.`)
  expect((await plugins('check', 'packed', '--json')).out).toContain('"hash":"')
})

it.each(['trust', 'enable', 'disable', 'remove', 'check', 'update'])('%s names an unknown plug-in', async (action) => {
  expect((await plugins(action, 'gone')).code).toBe(exitCodes.failed)
  expect(spoken.join()).toContain('There is no plug-in "gone".')
})

it('names in the doctor what a plug-in lacks', async () => {
  await plugins('add', folder)
  expect((await tizona('doctor')).out).toContain('- forge: You have not trusted it, so nothing of it is used.')
  await plugins('trust', 'forge')
  expect((await tizona('doctor')).out).toContain('! forge: An MCP server needs no-such-program-of-forge')
})

it.each([
  [['plugins'], 'Missing action'],
  [['plugins', 'add'], 'NAME'],
  [['plugins', 'update', 'forge', '--hash', 'abc'], '16 to 64 digits'],
  [['plugins', 'list', '--hash', 'a'.repeat(32)], '--hash can only be used with "update".'],
  [['plugins', 'add', '/no/such/folder'], 'does not exist'],
  [['plugins', 'list', '--yes'], '--yes can only be used with "update".'],
])('%j is a wrong command line', async (args, problem) => {
  expect((await tizona(...args)).code).toBe(exitCodes.usage)
  expect(spoken.join()).toContain(problem)
})
