import { beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import type { CommandAccess, CommandSandbox, SandboxDenial } from '../../shared/commands/sandbox.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import { createGate, type Gate } from '../approval/gate.ts'
import type { ApprovalDecision, ApprovalRequest } from '../../shared/tools/approval.ts'
import { shippedPlaceRules } from '../approval/placeRules.ts'
import { testExaminer } from '../approval/testing/testExaminer.ts'
import { approveCall } from './approveCall.ts'
import { runApproved } from './runApproved.ts'
import { defineTool, type ToolContext } from './common/toolDefinition.ts'

// A command whose first run is blocked by the sandbox, with the real gate.

const denial: SandboxDenial = { kind: 'network', message: 'The sandbox has no network.', retry: 'network' }
let ran: (CommandSandbox | undefined)[]
let requests: ApprovalRequest[]
let gate: Gate
let answers: ApprovalDecision[]
let denied: (SandboxDenial | undefined)[]
/** Number of runs before each announced run, and its arguments. */
let announced: { ran: number; args: Record<string, unknown> }[]

const tool = defineTool({
  name: 'run_command',
  title: 'Run command',
  description: '',
  risk: 'execute',
  schema: () => z.object({ command: z.string() }),
  commandLine: async ({ command }) => ({ command, cwd: '.' }),
  withCommand: (_, command) => ({ command }),
  async run({ command }, context) {
    ran.push(context.commandSandbox)
    return { text: `run ${ran.length}: ${command}`, denial: denied.shift() }
  },
})

const plan = async (_: string, access: CommandAccess): Promise<CommandSandbox> =>
  access === 'outside' ? { sandboxed: false, reason: 'allowed' } : { sandboxed: true, network: access === 'network' }

beforeEach(() => {
  ran = []
  requests = []
  announced = []
  denied = [denial]
  gate = createGate({
    examine: testExaminer(),
    onRequested(request) {
      requests.push(request)
      queueMicrotask(() => gate.decide(request.id, answers.shift() ?? { kind: 'refuse', reason: '' }))
    },
    onResolved: () => undefined,
  })
})

async function call(mode: Mode, given: ApprovalDecision[], attended = true) {
  answers = given
  const request = { callId: 'c', mode, attended }
  // The tool uses only these.
  const context = { jobs: { plan }, signal: new AbortController().signal } as unknown as ToolContext
  const approved = await approveCall({ gate, rules: shippedPlaceRules }, tool, { command: 'make' }, context, request)
  return runApproved({ gate, rules: shippedPlaceRules }, tool, approved, context, request, async ({ args }) => {
    announced.push({ ran: ran.length, args })
  })
}

it('a command that the sandbox blocked runs again with network after a second approval', async () => {
  const { text } = await call('safe', [{ kind: 'once' }, { kind: 'once' }])
  expect(ran).toEqual([
    { sandboxed: true, network: false },
    { sandboxed: true, network: true },
  ])
  expect(text).toBe('[The sandbox has no network. The user allowed this second run with network.]\nrun 2: make')
  expect(requests[1]).toMatchObject({
    sandbox: { sandboxed: true, network: true },
    grantable: { exact: false, prefix: false },
    reason: 'The sandbox has no network. If you allow it, it runs again from the start, with network access.',
  })
})

it('requires approval for the second run, even in yolo mode and despite a grant', async () => {
  await call('yolo', [{ kind: 'refuse', reason: 'no' }])
  expect([ran.length, requests.length]).toEqual([1, 1])
  denied = [denial]
  const { text } = await call('safe', [{ kind: 'exact' }, { kind: 'refuse', reason: 'not today' }])
  expect(text).toContain('not today')
  denied = [denial]
  await call('safe', [{ kind: 'refuse', reason: '' }])
  expect(ran.length).toBe(3)
  expect(requests).toHaveLength(4)
})

it('announces each run with its command before it begins', async () => {
  await call('yolo', [{ kind: 'once', editedCommand: 'make clean' }, { kind: 'once' }])
  expect(announced).toEqual([
    { ran: 0, args: { command: 'make' } },
    { ran: 1, args: { command: 'make clean' } },
  ])
})

it('offers only one further run', async () => {
  denied = [denial, { ...denial, message: 'Still blocked.' }]
  const { text } = await call('safe', [{ kind: 'once' }, { kind: 'once' }, { kind: 'once' }])
  expect(ran).toHaveLength(2)
  expect(text).toContain('Still blocked.')
})

it('does not run again without a user, and reports what was blocked', async () => {
  const { text } = await call('yolo', [], false)
  expect(ran).toHaveLength(1)
  expect(text).toContain('[The sandbox has no network. If it needs network, run exactly this command again')
})
