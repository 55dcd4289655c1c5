import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import type { ApprovalRule } from '../../shared/tools/approvalRules.ts'
import { modes } from '../../shared/tools/risk.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createArgumentLookup } from '../workspaceServices/workspaceExaminer.ts'
import { createProgramLookup } from '../workspaceServices/programLookup.ts'
import { createGate, type Gate, type GateCall } from './gate.ts'
import { testExaminer } from './testing/testExaminer.ts'

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gate: Gate
let rules: ApprovalRule[]
let asked: ApprovalRequest[]

beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'a', 'sub/a.txt': 'a' })
  const workspace = await openWorkspace(folder.root)
  rules = []
  asked = []
  gate = createGate({
    examine: testExaminer({
      lookup: createArgumentLookup(() => workspace),
      programs: createProgramLookup(() => workspace),
      rules: () => rules,
      isTrusted: () => true,
    }),
    onRequested: (request) => void asked.push(request),
    onResolved: () => undefined,
  })
})
afterEach(() => folder.remove())

const command = (line: string, rest: Partial<GateCall> = {}): GateCall => ({
  callId: 'c',
  tool: 'Other: Shell',
  title: 'Shell',
  risk: 'execute',
  mode: 'safe',
  arguments: {},
  writes: [],
  command: line,
  cwd: '.',
  sandbox: { sandboxed: false, reason: 'Other runs it itself' },
  report: {},
  attended: false,
  ...rest,
})
const call = (rest: Partial<GateCall> = {}): GateCall => {
  const { command: _line, cwd: _cwd, ...fields } = command('', rest)
  return fields
}

async function passes(tested: GateCall): Promise<boolean> {
  return (await gate.check(tested, never)).kind === 'allow'
}

/** Answers a request of the user and returns it. */
async function answer(tested: GateCall, kind: 'exact' | 'prefix'): Promise<ApprovalRequest> {
  const before = asked.length
  const waiting = gate.check({ ...tested, attended: true }, never)
  await expect.poll(() => asked.length).toBe(before + 1)
  const request = asked.at(-1)
  if (!request) throw new Error('No approval was requested.')
  gate.decide(request.id, { kind })
  await waiting
  return request
}

const title = { unclear: 'Other reported only its title.', details: 'title' }

describe('a read-only command of an external agent', () => {
  it('runs without approval if the agent reports it with its folder', async () => {
    expect(await passes(command('cat a.txt'))).toBe(true)
    expect(await passes(command('cat a.txt', { mode: 'plan' }))).toBe(true)
  })

  it('needs approval if its folder is not known, or not everything that it does', async () => {
    for (const rest of [{ cwd: undefined }, { report: title }, { report: title, cwd: undefined }]) {
      expect(await passes(command('cat a.txt', rest))).toBe(false)
      expect(await passes(command('cat a.txt', { ...rest, mode: 'plan' }))).toBe(false)
    }
  })

  it('that is unclear is explained', async () => {
    const { reason, explanation } = await answer(command('cat a.txt', { report: title }), 'exact')
    expect(reason).toBe(
      'It is not clear what the command does. Other reported only its title. It requires approval in safe mode.',
    )
    expect(explanation?.commands).toMatchObject([
      { verdict: 'ask', why: 'Not read-only. Other reported only its title.' },
    ])
  })
})

describe('a rule of the user', () => {
  it('that allows a command covers it also in an unknown folder, but not if it is unclear', async () => {
    rules = [{ decision: 'allow', match: 'prefix', pattern: 'npm test', folder: null }]
    expect(await passes(command('npm test'))).toBe(true)
    expect(await passes(command('npm test', { cwd: undefined }))).toBe(true)
    expect(await passes(command('npm test', { report: title }))).toBe(false)
  })

  it('for files of the workspace covers none in an unknown folder', async () => {
    rules = [{ decision: 'allow', match: 'form', pattern: 'lint <path>', folder: null }]
    expect(await passes(command('lint a.txt'))).toBe(true)
    expect(await passes(command('lint a.txt', { cwd: undefined }))).toBe(false)
  })

  it('that denies a command also denies an unclear one', async () => {
    rules = [{ decision: 'deny', match: 'prefix', pattern: 'npm', folder: null }]
    expect(await gate.check(command('npm test', { report: title, mode: 'yolo' }), never)).toMatchObject({
      kind: 'refuse',
      by: 'rule',
    })
  })
})

describe('a grant for the session', () => {
  it('covers a command only in the folder that was reported', async () => {
    await answer(command('npm test', { cwd: undefined }), 'exact')
    expect(await passes(command('npm test', { cwd: undefined }))).toBe(true)
    for (const cwd of ['.', 'sub', '/elsewhere']) expect(await passes(command('npm test', { cwd }))).toBe(false)
  })

  it('covers a command only with the same details', async () => {
    await answer(command('npm test'), 'exact')
    expect(await passes(command('npm test', { report: title }))).toBe(false)
    await answer(command('npm run x', { report: { unclear: 'x', details: '{"permissions":"a"}' } }), 'exact')
    expect(await passes(command('npm run x', { report: { unclear: 'x', details: '{"permissions":"a"}' } }))).toBe(true)
    expect(await passes(command('npm run x', { report: { unclear: 'x', details: '{"permissions":"b"}' } }))).toBe(false)
    expect(await passes(command('npm run x'))).toBe(false)
  })

  it('of a prefix covers no unclear command, and none is offered for it', async () => {
    await answer(command('npm test -- a'), 'prefix')
    expect(await passes(command('npm test -- b'))).toBe(true)
    expect(await passes(command('npm test -- b', { report: title }))).toBe(false)
    expect((await answer(command('npm test -- b', { report: title }), 'exact')).grantable).toEqual({
      exact: true,
      prefix: false,
    })
  })

  it('never covers every call with a title, because the agent chooses it', async () => {
    expect((await answer(call({ risk: 'write' }), 'prefix')).grantable).toEqual({ exact: true, prefix: false })
    expect(await passes(call({ risk: 'write', arguments: { path: 'b.txt' } }))).toBe(false)
  })
})

it.each(modes)('an unclear call without a command follows its risk in %s mode', async (mode) => {
  const unclear = call({ mode, report: { unclear: 'Other reported no path.' } })
  expect(await passes(unclear)).toBe(mode === 'yolo')
  if (mode === 'yolo' || mode === 'plan') return
  const { reason, grantable } = await answer(unclear, 'exact')
  expect(reason).toBe(`It is not clear what it does. Other reported no path. It requires approval in ${mode} mode.`)
  expect(grantable.exact).toBe(mode !== 'paranoid')
})

it('a command in a folder of secrets needs approval in every mode', async () => {
  for (const mode of modes) expect(await passes(command('cat notes', { cwd: '/root/.ssh', mode }))).toBe(false)
})
