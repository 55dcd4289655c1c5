import { beforeEach, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import type { AuditEntry } from '../../shared/tools/audit.ts'
import { createGate, type Gate, type GateCall } from './gate.ts'
import { observeGate } from './observedGate.ts'
import { testExaminer } from './testing/testExaminer.ts'
import { createOutsideContent, type OutsideContent } from './outsideContent.ts'

const never = new AbortController().signal
let requests: ApprovalRequest[]
let requested: () => void
let records: AuditEntry[]
let outside: OutsideContent
let gate: Gate

beforeEach(() => {
  requests = []
  records = []
  requested = () => undefined
  outside = createOutsideContent()
  const inner = createGate({
    examine: testExaminer(),
    onRequested(request) {
      requests.push(request)
      requested()
    },
    onResolved: () => undefined,
  })
  gate = observeGate({ gate: inner, outside, record: (entry) => records.push(entry), workspace: () => '/w' })
})

const call = (change: Partial<GateCall> = {}): GateCall => ({
  callId: 'call',
  conversationId: 'talk',
  tool: 'run_command',
  title: 'Run command',
  risk: 'execute',
  mode: 'cautious',
  arguments: {},
  writes: [],
  command: 'npm test',
  cwd: '.',
  sandbox: { sandboxed: true, network: true },
  attended: true,
  ...change,
})
const fetchFrom = (origin: string): GateCall =>
  call({ tool: 'web_fetch', risk: 'network', command: undefined, sandbox: undefined, scope: `GET ${origin}` })

/** Resolves when the next request waits for the user. */
const nextRequest = () =>
  new Promise<ApprovalRequest | undefined>((resolve) => {
    requested = () => resolve(requests.at(-1))
  })

/**
 * Starts a check and answers its request, if there is one.
 * @returns whether there was a request
 */
async function asked(checked: GateCall, kind: 'once' | 'exact' | 'scope' = 'once'): Promise<boolean> {
  const request = nextRequest()
  const answer = gate.check(checked, never)
  const found = await Promise.race([request, answer.then(() => undefined)])
  if (found) gate.decide(found.id, { kind })
  expect(await answer).toMatchObject({ kind: 'allow' })
  return found !== undefined
}

it('requires approval for a command with network despite a grant, after the turn read external content', async () => {
  expect(await asked(call(), 'exact')).toBe(true)
  expect(await asked(call())).toBe(false)
  outside.read('talk', 'content of https://example.com')
  expect(await asked(call())).toBe(true)
  expect(requests.at(-1)).toMatchObject({
    reason: expect.stringContaining('this turn has read content of https://example.com'),
    grantable: { exact: false, prefix: false },
  })
  expect(await asked(call())).toBe(false)
  outside.turnEnded('talk')
  expect(await asked(call())).toBe(false)
})

it('requires no new approval without network, in other conversations, without external content, and in yolo mode', async () => {
  const quiet = call({ sandbox: { sandboxed: true, network: false } })
  await asked(call(), 'exact')
  outside.read('talk', 'an answer of the MCP server "x"')
  expect(await asked(quiet)).toBe(false)
  expect(await asked(call({ conversationId: 'other' }))).toBe(false)
  expect(await asked(call({ conversationId: undefined }))).toBe(false)
  expect(await asked(call({ mode: 'yolo' }))).toBe(false)
})

it('requires approval for a new host, but not for one that was contacted before the turn read its content', async () => {
  await asked(fetchFrom('https://docs.example'), 'scope')
  await asked(fetchFrom('https://evil.example'), 'scope')
  outside.turnEnded('talk')
  expect(await asked(fetchFrom('https://docs.example'))).toBe(false)
  outside.read('talk', 'content of https://docs.example')
  expect(await asked(fetchFrom('https://docs.example'))).toBe(false)
  expect(await asked(fetchFrom('https://evil.example'))).toBe(true)
})

it('is not answered by a grant for another call in the meantime', async () => {
  await asked(call(), 'exact')
  outside.read('talk', 'content of https://example.com')
  const pending = nextRequest()
  const waiting = gate.check(call(), never)
  const request = await pending
  await asked(call({ conversationId: 'other', command: 'npm run build' }), 'exact')
  expect(gate.pending().map(({ id }) => id)).toEqual([request?.id])
  gate.decide(request?.id ?? '', { kind: 'refuse', reason: 'No.' })
  expect(await waiting).toMatchObject({ kind: 'refuse', code: 'refused' })
})

it('is refused with a reason if no user can answer', async () => {
  outside.read('talk', 'content of https://example.com')
  const answer = await gate.check(call({ mode: 'cautious', attended: false }), never)
  expect(answer).toMatchObject({ kind: 'refuse', code: 'approval_required' })
})

it('records each decision and its source', async () => {
  await asked(call({ mode: 'yolo' }))
  await asked(call(), 'exact')
  await asked(call())
  const refusing = nextRequest()
  const refused = gate.check(call({ command: 'rm -r x', writes: [] }), never)
  gate.decide((await refusing)?.id ?? '', { kind: 'refuse', reason: 'Keep it.' })
  await refused
  await gate.check(call({ mode: 'plan' }), never)
  const ending = new AbortController()
  const waiting = nextRequest()
  const withdrawn = gate.check(call({ command: 'make' }), ending.signal)
  await waiting
  ending.abort()
  await expect(withdrawn).rejects.toThrow()
  expect(records.map(({ verdict, by, command, reason }) => [verdict, by, command, reason])).toEqual([
    ['allowed', 'mode', 'npm test', expect.stringContaining('Yolo')],
    ['allowed', 'user', 'npm test', undefined],
    ['allowed', 'session', 'npm test', 'You allowed it for this session.'],
    ['refused', 'user', 'rm -r x', 'Keep it.'],
    ['refused', 'mode', 'npm test', expect.stringContaining('Plan mode is read-only')],
    ['withdrawn', 'user', 'make', undefined],
  ])
  expect(records[0]).toMatchObject({
    workspace: '/w',
    conversationId: 'talk',
    client: 'window',
    mode: 'yolo',
    cwd: '.',
  })
})
