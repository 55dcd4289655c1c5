import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ApprovalRule } from '../../../shared/tools/approvalRules.ts'
import { runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'

let home: string
let workspace: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tizona-explain-'))
  workspace = join(home, 'workspace')
  await mkdir(workspace)
  await mkdir(join(home, 'user'))
  await writeFile(join(workspace, 'a.txt'), 'hola\n')
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function explain(...args: string[]): Promise<{ code: number; out: string }> {
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const code = await runCommand(['explain', ...args, '--workspace', workspace], {
    output: createOutput(stream),
    userData: join(home, 'user'),
    stdin: (async function* () {})(),
  })
  return { code, out }
}

const settings = (rules: ApprovalRule[]) => JSON.stringify({ approval: { rules } })
const allowMake: ApprovalRule = { decision: 'allow', match: 'prefix', pattern: 'make', folder: null }

it('prints the verdict and the rule for each command of a line, and runs nothing', async () => {
  expect(await explain('cat a.txt && touch b.txt')).toEqual({
    code: 0,
    out: [
      'Needs approval (mode safe). It runs a command, which requires approval in safe mode.',
      '  + cat a.txt',
      '      Read-only: the built-in rule `cat`.',
      '  ? touch b.txt',
      '      Not read-only. No read-only rule covers `touch`.',
      '',
    ].join('\n'),
  })
})

it('prints the explanation as JSON', async () => {
  const { out } = await explain('cat a.txt', '--mode', 'plan', '--json')
  expect(JSON.parse(out)).toEqual({
    verdict: 'allow',
    mode: 'plan',
    source: 'readOnly',
    reason: 'It runs only read-only commands, which need no approval in plan mode.',
    commands: [
      {
        command: 'cat a.txt',
        verdict: 'allow',
        source: 'readOnly',
        rule: 'cat',
        why: 'Read-only: the built-in rule `cat`.',
      },
    ],
  })
})

it('applies the rules in the user data folder, and none of the workspace', async () => {
  for (const folder of ['', '.tizona', '.vscode', '.claude']) {
    await mkdir(join(workspace, folder), { recursive: true })
    await writeFile(join(workspace, folder, 'settings.json'), settings([allowMake]))
  }
  expect((await explain('make all')).out).toContain('Needs approval')
  await writeFile(join(home, 'user', 'settings.json'), settings([allowMake]))
  expect((await explain('make all')).out).toContain('The rule "Allow make …" allows it.')
  await writeFile(join(home, 'user', 'settings.json'), settings([allowMake, { ...allowMake, decision: 'deny' }]))
  expect((await explain('make all', '--mode', 'yolo')).out).toContain('Refused (mode yolo). The rule "Deny make …"')
})

it('refuses a command line that is not quoted as one argument', async () => {
  expect((await explain('git', 'log')).code).toBe(2)
})

it('prints its own help', async () => {
  const stream = new PassThrough()
  const code = await runCommand(['explain', '--help'], { output: createOutput(stream), userData: join(home, 'user') })
  expect(code).toBe(0)
  expect(String(stream.read())).toMatch(/^ {2}tizona explain 'COMMAND' \[--mode MODE\][^]*is refused\.\n$/)
})
