import { beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import { modes, risks } from '../../shared/tools/risk.ts'
import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
// Uses the real parser, because the security of the gate depends on both.
import { testExaminer } from './testing/testExaminer.ts'
import { createApprovalHandlers } from '../handlers/approvalHandlers.ts'
import { createGate, type Gate, type GateDecision, type GateCall } from './gate.ts'
import { decisionFor } from './modePolicy.ts'

let gate: Gate
let requested: ApprovalRequest[]
let resolved: string[]
let arrived: PromiseWithResolvers<ApprovalRequest>
const never = new AbortController().signal

beforeEach(() => {
  requested = []
  resolved = []
  arrived = Promise.withResolvers()
  gate = createGate({
    examine: testExaminer(),
    onRequested(request) {
      requested.push(request)
      arrived.resolve(request)
      arrived = Promise.withResolvers()
    },
    onResolved: (id) => resolved.push(id),
  })
})

const write = (rest: Partial<GateCall> = {}): GateCall => ({
  callId: 'c1',
  tool: 'write_file',
  title: 'Write file',
  risk: 'write',
  mode: 'safe',
  arguments: { path: 'a.txt' },
  writes: ['a.txt'],
  attended: true,
  ...rest,
})
const command = (line: string, rest: Partial<GateCall> = {}): GateCall =>
  write({
    tool: 'run_command',
    title: 'Run command',
    risk: 'execute',
    arguments: { command: line },
    writes: [],
    command: line,
    cwd: '.',
    ...rest,
  })

/** Requests approval and waits until the request is pending. */
async function ask(
  call: GateCall,
  signal = never,
): Promise<{ request: ApprovalRequest; answer: Promise<GateDecision> }> {
  const next = arrived.promise
  const answer = gate.check(call, signal)
  return { request: await next, answer }
}

it.each(modes)('while the rules of the user cannot be read, every call needs approval: %s mode', async (mode) => {
  const rulesProblem = () => 'The approval rules in settings.json cannot be read completely.'
  const strict = createGate({
    examine: testExaminer({ rulesProblem }),
    rulesProblem,
    onRequested: () => undefined,
    onResolved: () => undefined,
  })
  const read = write({ tool: 'read_file', risk: 'read', writes: [], reads: ['a.txt'] })
  for (const call of [read, write(), command('ls'), command('rm x')]) {
    const answer = await strict.check({ ...call, mode, attended: false }, never)
    expect(answer.kind, call.command ?? call.tool).toBe('refuse')
    if (mode !== 'plan' || call === read)
      expect(answer).toMatchObject({ code: 'approval_required', reason: expect.stringContaining('settings.json') })
  }
})

it('a grant for one call does not cover the same arguments for another file', async () => {
  const call = write({ tool: 'replace_selection', arguments: { content: 'x' } })
  const { request, answer } = await ask(call)
  gate.decide(request.id, { kind: 'exact' })
  expect(await answer).toMatchObject({ kind: 'allow' })
  expect(await gate.check(call, never)).toMatchObject({ kind: 'allow', by: 'session' })
  const other = await ask({ ...call, writes: ['b.txt'] })
  expect(other.request.tool).toBe('replace_selection')
  gate.decide(other.request.id, { kind: 'refuse', reason: '' })
  await other.answer
})

/**
 * Whether a call is allowed without approval. An unattended call that needs approval is rejected instead of waiting.
 */
async function passes(call: GateCall): Promise<boolean> {
  return (await gate.check({ ...call, attended: false }, never)).kind === 'allow'
}

async function grant(call: GateCall, kind: 'exact' | 'prefix'): Promise<void> {
  const { request, answer } = await ask(call)
  gate.decide(request.id, { kind })
  expect(await answer).toEqual({ kind: 'allow' })
}

describe('modes', () => {
  it('follow the mode policy for every mode and risk', async () => {
    for (const mode of modes) {
      for (const risk of risks) {
        const answer = await gate.check(write({ mode, risk, attended: false }), never)
        const expected = { allow: 'allow', ask: 'approval_required', refuse: 'not_in_plan_mode' }[
          decisionFor(mode, risk)
        ]
        expect(answer.kind === 'refuse' ? answer.code : answer.kind, `${mode} ${risk}`).toBe(expected)
      }
    }
    expect(requested).toEqual([])
  })

  it('an unattended call is rejected with mode, risk and a hint', async () => {
    const answer = await gate.check(command('npm test', { attended: false }), never)
    expect(answer).toMatchObject({
      kind: 'refuse',
      code: 'approval_required',
      reason: expect.stringMatching(/mode safe, risk execute/),
      next: 'Run with --mode yolo to allow it.',
    })
  })

  it('gives advice that fits the client and does not mention a window', async () => {
    const next = async (call: GateCall): Promise<string | undefined> => {
      const answer = await gate.check({ ...call, attended: false }, never)
      return answer.kind === 'refuse' ? answer.next : undefined
    }
    expect(await next(write({ client: 'mcp' }))).toBe(
      'The user may start the server with --mode cautious, or use a client that can ask its user (elicitation).',
    )
    expect(await next(write({ writes: ['.git/config'] }))).toBe(
      'No mode allows this without approval. Make this change manually or in the application.',
    )
    expect(await next(write({ writes: ['.git/config'], client: 'mcp' }))).toMatch(/elicitation/)
  })

  it.each(modes.filter((mode) => mode !== 'plan'))(
    'a protected path requires approval in %s mode, and no grant covers it',
    async (mode) => {
      const call = write({
        mode,
        writes: ['src/a.ts', '.GIT/hooks/pre-commit'],
        arguments: { path: '.GIT/hooks/pre-commit' },
      })
      expect(await passes(call)).toBe(false)
      await grant(call, 'exact')
      await grant(call, 'prefix')
      expect(await passes(call)).toBe(false)
    },
  )
})

describe('an approval request', () => {
  it('contains the whole command, its folder, the reason and the preview, and is pending until it is answered', async () => {
    const line = `echo ${'x'.repeat(5000)}`
    const { request, answer } = await ask(
      command(line, { cwd: 'sub', conversationId: 'k', preview: async () => ({ kind: 'text' }) }),
    )
    expect(request).toMatchObject({
      callId: 'c1',
      conversationId: 'k',
      tool: 'run_command',
      risk: 'execute',
      mode: 'safe',
      command: line,
      cwd: 'sub',
      prefix: 'echo',
      preview: { kind: 'text' },
    })
    expect(request.reason).toMatch(/safe mode/)
    expect(gate.pending()).toEqual([request])
    gate.decide(request.id, { kind: 'once' })
    expect(await answer).toEqual({ kind: 'allow' })
    expect(gate.pending()).toEqual([])
    expect(resolved).toEqual([request.id])
    expect(await passes(command(line))).toBe(false)
  })

  it('lists what the command deletes or overwrites permanently', async () => {
    expect((await ask(command('npm test && git reset --hard'))).request.destructive).toEqual([
      '`git reset --hard` discards uncommitted changes.',
    ])
    expect((await ask(command('npm test'))).request.destructive).toEqual([])
    expect((await ask(write())).request.destructive).toEqual([])
  })

  it('accepts one answer; a second answer and an unknown id are conflicts', async () => {
    const { request } = await ask(write())
    gate.decide(request.id, { kind: 'refuse', reason: 'no' })
    expect(() => gate.decide(request.id, { kind: 'once' })).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(() =>
      createApprovalHandlers(gate.decide, () => Promise.reject(new Error('not used')))['approvals.decide'](
        { requestId: 'unknown', decision: { kind: 'once' } },
        never,
      ),
    ).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(resolved).toHaveLength(1)
  })

  it('is refused with the reason of the user', async () => {
    const { request, answer } = await ask(write())
    gate.decide(request.id, { kind: 'refuse', reason: ' use b.txt instead ' })
    expect(await answer).toEqual({ kind: 'refuse', code: 'refused', reason: 'use b.txt instead' })
  })

  it('is withdrawn when the call is cancelled', async () => {
    const controller = new AbortController()
    const { request, answer } = await ask(write(), controller.signal)
    controller.abort()
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
    expect(resolved).toEqual([request.id])
    expect(gate.pending()).toEqual([])
    expect(() => gate.decide(request.id, { kind: 'once' })).toThrow(expect.objectContaining({ code: 'conflict' }))
  })

  it('is not created for a call that was cancelled before', async () => {
    await expect(gate.check(write(), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
    const controller = new AbortController()
    await expect(
      gate.check(
        write({
          preview: async () => {
            controller.abort()
            return undefined
          },
        }),
        controller.signal,
      ),
    ).rejects.toMatchObject({ name: 'AbortError' })
    expect(requested).toEqual([])
  })
})

describe('an edited command', () => {
  it('is returned for another check, which needs no second approval', async () => {
    const { request, answer } = await ask(command('rm -rf build'))
    gate.decide(request.id, { kind: 'once', editedCommand: 'rm -rf $OUT' })
    expect(await answer).toEqual({ kind: 'edited', command: 'rm -rf $OUT' })
    expect(await passes(command('rm -rf $OUT', { approvedByEdit: { risk: 'execute' } }))).toBe(true)
  })

  it('requires approval again with a higher risk, and is refused in plan mode', async () => {
    expect(await passes(command('x', { approvedByEdit: { risk: 'execute' }, risk: 'destructive' }))).toBe(false)
    expect(await passes(command('x', { approvedByEdit: { risk: 'execute' }, mode: 'plan' }))).toBe(false)
    expect(await passes(write({ approvedByEdit: { risk: 'destructive' }, writes: ['.git/config'] }))).toBe(false)
  })

  it('that was not changed runs as approved', async () => {
    const { request, answer } = await ask(command('ls'))
    gate.decide(request.id, { kind: 'once', editedCommand: 'ls' })
    expect(await answer).toEqual({ kind: 'allow' })
  })

  it('is rejected if it is empty or the tool has no command, and the request stays pending', async () => {
    const { request } = await ask(command('ls'))
    expect(() => gate.decide(request.id, { kind: 'once', editedCommand: ' ' })).toThrow(
      expect.objectContaining({ code: 'invalid_arguments' }),
    )
    const other = await ask(write())
    expect(() => gate.decide(other.request.id, { kind: 'once', editedCommand: 'ls' })).toThrow(
      expect.objectContaining({ code: 'invalid_arguments' }),
    )
    expect(gate.pending()).toHaveLength(2)
  })

  it('is rejected if another program runs the command, and the request informs the window', async () => {
    const { request } = await ask(command('npm publish', { fixedCommand: true }))
    expect(request.fixedCommand).toBe(true)
    expect(() => gate.decide(request.id, { kind: 'once', editedCommand: 'ls' })).toThrow(
      expect.objectContaining({ code: 'invalid_arguments' }),
    )
    expect((await ask(command('ls'))).request).not.toHaveProperty('fixedCommand')
  })
})

describe('grants for the session', () => {
  it('exact: this command in this folder', async () => {
    await grant(command('npm test -- a'), 'exact')
    expect(await passes(command('npm test -- a'))).toBe(true)
    expect(await passes(command('npm test -- b'))).toBe(false)
    expect(await passes(command('npm test -- a', { cwd: 'sub' }))).toBe(false)
    gate.reset()
    expect(await passes(command('npm test -- a'))).toBe(false)
  })

  it('prefix: must cover every command of the line', async () => {
    await grant(command('npm test -- a'), 'prefix')
    expect(await passes(command('npm test -- b 2>&1'))).toBe(true)
    expect(await passes(command('npm test && npm test -- c'))).toBe(true)
    expect(await passes(command('npm test && npm test -- c', { cwd: 'sub' }))).toBe(false)
    for (const line of [
      'npm test && id',
      'npm test; id',
      'npm test\nid',
      'npm test | tee x',
      'npm tests',
      'id && npm test',
    ])
      expect(await passes(command(line)), line).toBe(false)
    await grant(command('tail -n 5'), 'prefix')
    expect(await passes(command('npm test | tail -n 9'))).toBe(true)
  })

  it('prefix: of a line with several commands covers each of them', async () => {
    const { request } = await ask(command('npm run build && npm test'))
    expect(request.prefix).toBe('npm run build, npm test')
    gate.decide(request.id, { kind: 'prefix' })
    expect(await passes(command('npm test; npm run build'))).toBe(true)
  })

  it.each([
    'npm test $(id)',
    'npm test > .git/hooks/x',
    'npm test & id',
    'PATH=/evil npm test',
    'npm test `id`',
    'npm test ${x@P}',
    'npm test <(id)',
    'npm test\r\nid',
    `${'npm test;'.repeat(51)}npm test`,
  ])('an unparsable command is not covered by a prefix, only by a grant for the same line: %j', async (line) => {
    await grant(command('npm test'), 'prefix')
    expect(await passes(command(line))).toBe(false)
    expect(await passes(command(line, { mode: 'cautious' }))).toBe(false)
    expect(await passes(command(line, { mode: 'yolo' }))).toBe(true)
    await grant(command(line), 'exact')
    expect(requested.at(-1)).toMatchObject({
      prefix: undefined,
      grantable: { exact: true, prefix: false },
      reason: expect.stringContaining('cannot be parsed reliably'),
    })
    expect(await passes(command(line))).toBe(true)
    expect(await passes(command(`${line} `))).toBe(false)
    expect(await passes(command(line, { cwd: 'sub' }))).toBe(false)
    expect(await passes(command(line, { mode: 'paranoid' }))).toBe(false)
  })

  it('in paranoid mode an unparsable command requires approval every time, and no grant is offered', async () => {
    await grant(command('echo $HOME', { mode: 'paranoid' }), 'exact')
    expect(requested.at(-1)?.grantable).toEqual({ exact: false, prefix: false })
    expect(await passes(command('echo $HOME', { mode: 'paranoid' }))).toBe(false)
  })

  it('only grants that will cover the next such call are offered', async () => {
    const offered = async (call: GateCall) => (await ask(call)).request.grantable
    expect(await offered(command('npm test'))).toEqual({ exact: true, prefix: true })
    expect(await offered(command('python3 -c 1'))).toEqual({ exact: true, prefix: false })
    expect(await offered(command('make test -f evil.mk'))).toEqual({ exact: true, prefix: false })
    expect(await offered(write())).toEqual({ exact: true, prefix: true })
    expect(await offered(write({ writes: ['.git/config'] }))).toEqual({ exact: false, prefix: false })
  })

  it('a prefix that would allow any command is neither offered nor accepted', async () => {
    for (const line of ['bash -c ls', 'npm test && python3 -c 1', 'echo $(id)']) {
      const { request } = await ask(command(line))
      expect(request.prefix).toBeUndefined()
      expect(() => gate.decide(request.id, { kind: 'prefix' })).toThrow(
        expect.objectContaining({ code: 'invalid_arguments' }),
      )
      expect(gate.pending().some(({ id }) => id === request.id)).toBe(true)
    }
  })

  it('for another tool: cover the same arguments in any order and no others', async () => {
    await grant(write({ arguments: { path: 'a.txt', content: 'one', nested: { a: 1, b: 2 } } }), 'exact')
    expect(await passes(write({ arguments: { nested: { b: 2, a: 1 }, content: 'one', path: 'a.txt' } }))).toBe(true)
    expect(await passes(write({ arguments: { path: 'a.txt', content: 'other', nested: { a: 1, b: 2 } } }))).toBe(false)
    expect(await passes(write({ arguments: { path: 'a.txt', content: 'one' } }))).toBe(false)
    expect(
      await passes(
        write({
          arguments: {
            path: 'a.txt',
            content: 'one',
            nested: [
              ['a', 1],
              ['b', 2],
            ],
          },
        }),
      ),
    ).toBe(false)
  })

  it('for another tool: cover every call of it, but not with a higher risk', async () => {
    await grant(write({ tool: 'move_file', writes: ['a', 'b'] }), 'prefix')
    expect(await passes(write({ tool: 'move_file', writes: ['c', 'd'] }))).toBe(true)
    expect(await passes(write({ tool: 'move_file', writes: ['c', 'd'], risk: 'destructive' }))).toBe(false)
    expect(await passes(write({ tool: 'copy_file', writes: ['c', 'd'] }))).toBe(false)
    expect(await passes(command('ls', { tool: 'move_file' }))).toBe(false)
  })

  describe('for a web request', () => {
    const fetch = (method: string, origin = 'https://a.example'): GateCall =>
      write({
        tool: 'HttpFetch',
        title: 'Fetch from the web',
        writes: [],
        arguments: { url: `${origin}/x`, method },
        scope: `${method} ${origin}`,
        risk: method === 'GET' ? 'network' : 'destructive',
      })
    it('every call of the tool: covers all GET requests and no request that changes data', async () => {
      await grant(fetch('GET'), 'prefix')
      expect(await passes(fetch('GET', 'https://b.example'))).toBe(true)
      expect(await passes(fetch('POST'))).toBe(false)
      expect(await passes(fetch('DELETE'))).toBe(false)
    })

    it('one origin: covers only the approved method and origin', async () => {
      for (const method of ['GET', 'POST']) {
        const { request, answer } = await ask(fetch(method))
        expect(request.scope).toBe(`${method} https://a.example`)
        gate.decide(request.id, { kind: 'scope' })
        await answer
      }
      expect(await passes({ ...fetch('GET'), arguments: { url: 'https://a.example/other' } })).toBe(true)
      expect(await passes({ ...fetch('POST'), arguments: { url: 'https://a.example/other' } })).toBe(true)
      expect(await passes(fetch('DELETE'))).toBe(false)
      expect(await passes(fetch('GET', 'https://a.example:8443'))).toBe(false)
      expect(await passes(fetch('POST', 'https://b.example'))).toBe(false)
      expect(await passes({ ...fetch('GET'), tool: 'web_fetch' })).toBe(false)
    })

    it('that changes data: does not cover every call of the tool, even if a window requests it', async () => {
      const { request, answer } = await ask(fetch('POST'))
      expect(request.grantable).toEqual({ exact: true, prefix: false })
      gate.decide(request.id, { kind: 'prefix' })
      expect(await answer).toEqual({ kind: 'allow' })
      expect(await passes({ ...fetch('POST'), arguments: { url: 'https://a.example/y', method: 'POST' } })).toBe(false)
      expect(await passes(fetch('GET'))).toBe(false)
    })

    it('is not offered for a call without an origin', async () => {
      const { request } = await ask(write())
      expect(request.scope).toBeUndefined()
    })
  })

  describe('for a command', () => {
    const closed: CommandSandbox = { sandboxed: true, network: false }
    const network: CommandSandbox = { sandboxed: true, network: true }
    const open: CommandSandbox = { sandboxed: false, reason: 'another program runs it itself' }

    it.each(['exact', 'prefix'] as const)(
      'do not cover it with network or outside the sandbox, if it was granted without (%s)',
      async (kind) => {
        await grant(command('npm test', { sandbox: closed }), kind)
        expect(await passes(command('npm test', { sandbox: closed }))).toBe(true)
        expect(await passes(command('npm test', { sandbox: network }))).toBe(false)
        expect(await passes(command('npm test', { sandbox: open }))).toBe(false)
        await grant(command('npm test', { sandbox: network }), kind)
        expect(await passes(command('npm test', { sandbox: network }))).toBe(true)
        expect(await passes(command('npm test', { sandbox: open }))).toBe(false)
      },
    )

    it('also cover it in a stricter sandbox', async () => {
      await grant(command('npm test', { sandbox: open }), 'exact')
      for (const sandbox of [open, network, closed]) expect(await passes(command('npm test', { sandbox }))).toBe(true)
      await grant(command('touch a', { sandbox: network }), 'exact')
      expect(await passes(command('touch a', { sandbox: closed }))).toBe(true)
    })

    it('answer no pending call that would run outside the sandbox', async () => {
      const first = await ask(command('npm test', { sandbox: closed }))
      const second = await ask(command('npm test', { sandbox: open }))
      gate.decide(first.request.id, { kind: 'exact' })
      expect(gate.pending()).toEqual([second.request])
    })
  })

  it('from another mode do not apply in paranoid mode', async () => {
    await grant(command('npm test'), 'prefix')
    expect(await passes(command('npm test', { mode: 'paranoid' }))).toBe(false)
    await grant(command('npm test', { mode: 'paranoid' }), 'prefix')
    expect(await passes(command('npm test', { mode: 'paranoid' }))).toBe(true)
  })

  it('answer other pending calls that they cover', async () => {
    const first = await ask(command('npm test -- a'))
    const second = await ask(command('npm test -- b'))
    const third = await ask(command('id'))
    gate.decide(first.request.id, { kind: 'prefix' })
    expect(await second.answer).toEqual({ kind: 'allow', by: 'session' })
    expect(gate.pending()).toEqual([third.request])
    expect(resolved).toEqual([first.request.id, second.request.id])
  })
})
