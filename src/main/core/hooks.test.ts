import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Mode, ToolsetName } from '../../shared/tools/risk.ts'
import { probeSandbox } from '../command/sandbox/sandboxProbe.ts'
import { createCore, type Core } from '../core.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

// Hooks of a folder with real scripts in the real sandbox, through the real executor.

const signal = new AbortController().signal
const isSandboxed = (await probeSandbox()).state.kind === 'available'

let home: string
let root: string
let core: Core

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-hooks-')))
  root = join(home, 'repository')
  await write({ 'notes.txt': 'first\n', 'src/a.ts': 'export const a = 1\n', '.env': 'TOKEN=needle\n' })
  core = await newCore()
})
const newCore = () =>
  createCore({
    platform: {
      host: 'browser',
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
      fork: inProcessIndex,
    },
  })
afterEach(async () => {
  await core.dispose()
  await rm(home, { recursive: true, force: true })
})

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
    if (name.endsWith('.sh')) await chmod(join(root, name), 0o755)
  }
}

/** Settings with one script for an event. */
const settings = (event: string, matcher = '', hook: object = {}) =>
  JSON.stringify({
    hooks: {
      [event]: [
        {
          matcher,
          hooks: [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh', timeout: 20, ...hook }],
        },
      ],
    },
  })

/** Opens a trusted folder with a script, and approves all its hooks. */
async function openWith(event: string, script: string, { matcher = '', hook = {} } = {}): Promise<void> {
  await write({
    '.claude/settings.json': settings(event, matcher, hook),
    '.claude/hooks/check.sh': `#!/bin/bash\n${script}\n`,
  })
  await core.openWorkspace(root)
  await core.handlers['trust.decide']({ choice: 'folder' }, signal)
  await approveAll()
}

async function approveAll(): Promise<void> {
  const { hooks } = await core.handlers['hooks.list']({}, signal)
  for (const { id } of hooks) await core.handlers['hooks.decide']({ id, approved: true }, signal)
}

interface CallOptions {
  toolset?: ToolsetName
  mode?: Mode
}

const call = (name: string, args: Record<string, unknown>, { toolset = 'blade', mode = 'yolo' }: CallOptions = {}) =>
  core.executor.call({ callId: 'c', name, arguments: args, toolset, mode, attended: false, signal })

const states = async () => (await core.handlers['hooks.list']({}, signal)).hooks.map(({ state }) => state)
const notes = () => readFile(join(root, 'notes.txt'), 'utf8')
const writeNotes = () => call('write_file', { path: 'notes.txt', content: 'second\n' })

describe.runIf(isSandboxed)('before a call', () => {
  it('a hook with exit code 2 refuses it, and the model gets the reason', async () => {
    await openWith('PreToolUse', 'echo "No edits on Sundays." >&2; exit 2', { matcher: 'Write|Edit' })
    const result = await writeNotes()
    expect(result).toMatchObject({ ok: false, error: { code: 'refused', reason: 'hook' } })
    expect(result.text).toContain('No edits on Sundays.')
    expect(result.hooks?.join()).toContain('No edits on Sundays.')
    expect(await notes()).toBe('first\n')
    expect(await call('read_file', { path: 'notes.txt' })).toMatchObject({ ok: true })
    const { entries } = await core.handlers['audit.read']({}, signal)
    expect(entries.find(({ by }) => by === 'hook')).toMatchObject({
      verdict: 'refused',
      tool: 'PreToolUse',
      reason: 'No edits on Sundays.',
      source: '.claude/settings.json',
      client: 'commandLine',
      mode: 'yolo',
      sandbox: { sandboxed: true, network: false },
    })
    await write({ '.claude/hooks/check.sh': 'exit 0\n' })
    await writeNotes()
    const [latest] = (await core.handlers['audit.read']({}, signal)).entries.filter(({ by }) => by === 'hook')
    expect(latest).toMatchObject({ verdict: 'refused', reason: 'It has changed since it was approved.' })
    expect(latest).not.toHaveProperty('sandbox')
  })
  const answer = (own: object) =>
    `cat > /dev/null; echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...own } })}'`
  const answers = (value: object) => `echo '${JSON.stringify(value)}'`

  it.each([
    ['a deny with a reason', answer({ permissionDecision: 'deny', permissionDecisionReason: 'Frozen.' }), 'Frozen.'],
    ['the older "block"', answers({ decision: 'block', reason: 'Blocked.' }), 'Blocked.'],
    ['"continue": false', answers({ continue: false, stopReason: 'Enough.' }), 'Enough.'],
    ['exit code 1', 'echo oops >&2; exit 1', 'ended with exit code 1. Its last output: oops'],
    ['exit code 127 of a missing program', 'no-such-program-of-hooks', 'ended with exit code 127'],
    ['a crash', 'kill -SEGV $$', 'ended with'],
    ['plain text', 'echo "looks fine"', 'text that is not JSON: looks fine'],
    ['half of a JSON answer', 'echo \'{"hookSpecificOutput": {\'', 'JSON that is not an answer'],
    ['a JSON list', 'echo "[]"', 'JSON that is not an answer'],
    ['a decision in the wrong place', answers({ permissionDecision: 'deny' }), 'JSON that is not an answer'],
    ['a field of no agent', answers({ block: true }), 'JSON that is not an answer'],
    ['an unknown decision', answer({ permissionDecision: 'perhaps' }), 'JSON that is not an answer'],
    [
      'the answer of another event',
      answers({ hookSpecificOutput: { hookEventName: 'Stop' } }),
      'answered the event Stop',
    ],
    ['arguments that are no object', answer({ updatedInput: 'rm -rf /' }), 'JSON that is not an answer'],
    ['100 MB of output', 'head -c 100000000 /dev/zero | tr "\\0" x', 'more than 256 KB'],
    ['endless output', 'yes', 'more than 256 KB'],
    ['a field that the tool does not have', answer({ updatedInput: { colour: 'red' } }), 'does not accept'],
    ['a content of the wrong type', answer({ updatedInput: { content: { a: [1] } } }), 'does not accept'],
  ])('%s refuses the call', async (_, script, reason) => {
    await openWith('PreToolUse', script)
    const result = await writeNotes()
    expect(result).toMatchObject({ ok: false, error: { code: 'refused' } })
    expect(result.text).toContain(reason)
    expect(await notes()).toBe('first\n')
  })

  it('a hook that hangs, with children that ignore signals, is ended after its time limit and refuses the call', async () => {
    const started = performance.now()
    await openWith('PreToolUse', 'trap "" TERM; (trap "" TERM; sleep 60) & sleep 60', { hook: { timeout: 1 } })
    expect((await writeNotes()).text).toContain('longer than 1 seconds and was ended')
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('a hook that leaves a process running does not hold up the call', async () => {
    await openWith('PreToolUse', 'sleep 30 & exit 0')
    expect(await writeNotes()).toMatchObject({ ok: true })
  })

  it('stopping the call ends the hook', async () => {
    await openWith('PreToolUse', 'sleep 60')
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 500)
    const args = { path: 'notes.txt', content: 'second\n' }
    const request = { callId: 'c', name: 'write_file', arguments: args, toolset: 'blade' as const }
    const result = await core.executor.call({ ...request, mode: 'yolo', attended: false, signal: stop.signal })
    expect(result.error?.code).toBe('cancelled')
    expect(await notes()).toBe('first\n')
  })

  it('an allow passes no gate: a destructive command still needs approval', async () => {
    await openWith('PreToolUse', answer({ permissionDecision: 'allow' }))
    const result = await call('run_command', { command: 'rm -rf src' }, { mode: 'safe' })
    expect(result.error?.code).toBe('approval_required')
    expect(await readFile(join(root, 'src/a.ts'), 'utf8')).toContain('export')
    // Nor does the older spelling.
    await write({ '.claude/hooks/check.sh': `#!/bin/bash\n${answers({ decision: 'approve' })}\n` })
    await approveAll()
    expect((await call('run_command', { command: 'rm -rf src' }, { mode: 'safe' })).error?.code).toBe(
      'approval_required',
    )
  })

  it('an allow for a plan mode does not leave it', async () => {
    await openWith('PreToolUse', answer({ permissionDecision: 'allow' }))
    const args = { path: 'notes.txt', content: 'x' }
    expect((await call('write_file', args, { mode: 'plan' })).error?.code).toBe('not_in_plan_mode')
  })

  it('an ask requires approval in every mode', async () => {
    await openWith('PreToolUse', answer({ permissionDecision: 'ask', permissionDecisionReason: 'Look twice.' }))
    const result = await writeNotes()
    expect(result.error?.code).toBe('approval_required')
    expect(result.text).toContain('Look twice.')
    expect(await notes()).toBe('first\n')
  })

  it('the card of a call that hooks changed shows the changed arguments, and what changed', async () => {
    await openWith('PreToolUse', answer({ permissionDecision: 'ask', updatedInput: { content: 'third' } }))
    core.subscribe((name, payload) => {
      if (name !== 'approval.requested' || payload === null || !('requestedAt' in payload)) return
      expect(payload.arguments).toMatchObject({ content: 'third' })
      expect(payload.hooks?.[0]).toMatch(/changed content from "second\n" to "third"/)
      expect(payload.reason).toContain('requires your approval')
      void core.handlers['approvals.decide']({ requestId: payload.id, decision: { kind: 'once' } }, signal)
    })
    const request = { name: 'write_file', arguments: { path: 'notes.txt', content: 'second\n' }, mode: 'yolo' as const }
    const result = await core.executor.call({ callId: 'c', ...request, toolset: 'blade', attended: true, signal })
    expect(result).toMatchObject({ ok: true, arguments: { content: 'third' } })
    expect(result.text).toContain('changed content from')
    expect(await notes()).toBe('third')
  })

  it('a changed path is weighed like any other: outside the folder and secret files stay closed', async () => {
    await openWith('PreToolUse', answer({ permissionDecision: 'allow', updatedInput: { file_path: '/etc/passwd' } }))
    expect((await call('read_file', { path: 'notes.txt' })).error?.code).toBe('outside_workspace')
    const secret = answer({ permissionDecision: 'allow', updatedInput: { file_path: '.env' } })
    await write({ '.claude/hooks/check.sh': `#!/bin/bash\n${secret}\n` })
    await approveAll()
    const result = await call('read_file', { path: 'notes.txt' }, { mode: 'safe' })
    expect(result.error?.code).toBe('approval_required')
    expect(result.text).not.toContain('needle')
  })

  it('a changed command is weighed like any other', async () => {
    await openWith('PreToolUse', answer({ permissionDecision: 'allow', updatedInput: { command: 'rm -rf src' } }))
    const result = await call('run_command', { command: 'ls' }, { mode: 'safe' })
    expect(result.error?.code).toBe('approval_required')
    expect(result.hooks?.join()).toContain('changed command from "ls" to "rm -rf src"')
  })

  it('a hook sees neither the home folder nor secrets nor the network', async () => {
    await openWith(
      'PreToolUse',
      'seen=$(cat .env; ls -A ~ | grep -c ssh; timeout 2 bash -c "</dev/tcp/127.0.0.1/1" 2>&1); echo "[$seen]" >&2; exit 2',
    )
    const { text } = await writeNotes()
    expect(text).toContain('refused')
    expect(text).not.toContain('needle')
  })

  it('a hook that the user has not decided about does not run, and one whose script changed refuses until then', async () => {
    await openWith('PreToolUse', 'exit 0')
    expect(await states()).toEqual(['approved'])
    await write({ '.claude/hooks/check.sh': '#!/bin/bash\necho changed > notes.txt\n' })
    expect(await states()).toEqual(['changed'])
    const changed = await writeNotes()
    expect(changed.text).toContain('has changed since it was approved')
    expect(await notes()).toBe('first\n')
    // A changed definition needs a decision too.
    await write({
      '.claude/hooks/check.sh': '#!/bin/bash\nexit 0\n',
      '.claude/settings.json': settings('PreToolUse', 'Write'),
    })
    expect(await states()).toEqual(['changed'])
  })

  it('a hook that nobody has decided about does not run', async () => {
    await openWith('PreToolUse', 'exit 0')
    const own = JSON.parse(settings('PreToolUse')) as { hooks: { PreToolUse: unknown[] } }
    own.hooks.PreToolUse.push({ hooks: [{ type: 'command', command: 'echo ran > notes.txt; exit 2' }] })
    await write({ '.claude/settings.json': JSON.stringify(own) })
    expect(await states()).toEqual(['approved', 'new'])
    expect(await writeNotes()).toMatchObject({ ok: true })
    expect(await notes()).toBe('second\n')
  })

  it('a changed matcher still refuses what the approved one matched', async () => {
    await openWith('PreToolUse', 'exit 0', { matcher: 'Bash|Edit|Write' })
    await write({ '.claude/settings.json': settings('PreToolUse', 'Bash') })
    expect((await writeNotes()).text).toContain('has changed since it was approved')
    expect((await call('run_command', { command: 'ls' })).text).toContain('has changed since it was approved')
    expect(await call('read_file', { path: 'notes.txt' })).toMatchObject({ ok: true })
    await approveAll()
    expect(await writeNotes()).toMatchObject({ ok: true })
  })

  it('a changed command refuses what the approved one matched, until the user decides', async () => {
    await openWith('PreToolUse', 'exit 2', { matcher: 'Write' })
    const command = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh || true'
    await write({ '.claude/settings.json': settings('PreToolUse', 'Bash', { command }) })
    expect(await states()).toEqual(['changed'])
    expect((await writeNotes()).text).toContain('approved hooks for the same event are gone')
    await approveAll()
    expect(await states()).toEqual(['approved'])
    expect(await writeNotes()).toMatchObject({ ok: true })
    // The decision covers the one that is gone: a further hook is new.
    const own = JSON.parse(settings('PreToolUse', 'Bash', { command })) as { hooks: { PreToolUse: unknown[] } }
    own.hooks.PreToolUse.push({ hooks: [{ type: 'command', command: 'exit 2' }] })
    await write({ '.claude/settings.json': JSON.stringify(own) })
    expect(await states()).toEqual(['approved', 'new'])
  })

  it('an approved hook that is written in a way that is not used refuses, and a deleted one checks nothing', async () => {
    await openWith('PreToolUse', 'exit 2', { matcher: 'Write' })
    await write({ '.claude/settings.json': settings('PreToolUse', 'Write', { args: [] }) })
    expect((await writeNotes()).text).toContain('can no longer be read')
    await write({ '.claude/settings.json': '{"hooks": {}}' })
    expect(await writeNotes()).toMatchObject({ ok: true })
  })

  it('scripts that a glob selects are compared, and a command whose script is not found is named', async () => {
    await write({ 'hooks/check-a.sh': 'exit 0\n' })
    await openWith('PreToolUse', '', { hook: { command: 'for each in hooks/check*.sh; do bash $each; done' } })
    expect(await states()).toEqual(['approved'])
    await write({ 'hooks/check-b.sh': 'exit 0\n' })
    expect(await states()).toEqual(['changed'])
    await write({ '.claude/settings.json': settings('Stop', '', { command: '"$ELSEWHERE"/check.sh' }) })
    const { hooks } = await core.handlers['hooks.list']({}, signal)
    expect(hooks).toMatchObject([{ scripts: [], missing: ['$ELSEWHERE/check.sh'] }])
  })

  it('wildcards of a folder that is not trusted select nothing, and none blocks the process', async () => {
    const commands = [
      'cat x{1..100000}*',
      'bash *a*a*a*a*a*a*a*a*b',
      'bash hooks/*.sh',
      `bash ${'{a,b}{c,d}'.repeat(500)}`,
    ]
    const hooks = { PreToolUse: [{ hooks: commands.map((command) => ({ type: 'command', command })) }] }
    await write({ 'hooks/check.sh': '', ['a'.repeat(60)]: '', '.claude/settings.json': JSON.stringify({ hooks }) })
    await core.openWorkspace(root)
    const before = await core.handlers['hooks.list']({}, signal)
    expect(before.hooks.map(({ scripts }) => scripts)).toEqual([[], [], [], []])
    const decision = core.handlers['hooks.decide']({ id: before.hooks[0]?.id ?? '', approved: true }, signal)
    await expect(decision).rejects.toThrow('restricted')
    await core.handlers['trust.decide']({ choice: 'folder' }, signal)
    const { hooks: after } = await core.handlers['hooks.list']({}, signal)
    expect(after.map(({ scripts }) => scripts)).toEqual([[], [], ['hooks/check.sh'], []])
  })

  it('a decision about a script that has changed meanwhile is not stored', async () => {
    await openWith('PreToolUse', 'exit 0')
    const [hook] = (await core.handlers['hooks.list']({}, signal)).hooks
    await write({ '.claude/hooks/check.sh': '#!/bin/bash\nexit 2\n' })
    const decision = core.handlers['hooks.decide']({ id: hook?.id ?? '', approved: true }, signal)
    await expect(decision).rejects.toThrow('has changed')
    expect(await states()).toEqual(['changed'])
  })

  it('a file of hooks that can no longer be read refuses what they decided about', async () => {
    await openWith('PreToolUse', 'exit 0', { matcher: 'Write' })
    await write({ '.claude/settings.json': '{"hooks": {' })
    expect((await writeNotes()).text).toContain('can no longer be read')
    // A new process has seen no hook of this file.
    await core.dispose()
    core = await newCore()
    await core.openWorkspace(root)
    expect((await writeNotes()).text).toContain('can no longer be read')
    expect(await call('read_file', { path: 'notes.txt' })).toMatchObject({ ok: true })
  })

  it('a hook still refuses when a folder is added, and when it is the only one again', async () => {
    await openWith('PreToolUse', 'echo "Not here." >&2; exit 2', { matcher: 'Write' })
    await mkdir(join(home, 'other'))
    await core.handlers['workspace.addFolders']({ folders: [join(home, 'other')] }, signal)
    await core.handlers['trust.decide']({ choice: 'folder' }, signal)
    expect(await states()).toEqual(['approved'])
    expect((await call('write_file', { path: 'repository/notes.txt', content: 'second\n' })).text).toContain(
      'Not here.',
    )
    await core.openWorkspace(root)
    expect((await writeNotes()).text).toContain('Not here.')
  })

  it('a restricted folder runs no hook', async () => {
    await openWith('PreToolUse', 'exit 2')
    await core.handlers['trust.decide']({ choice: 'restricted' }, signal)
    expect(await writeNotes()).toMatchObject({ ok: true })
  })

  it.each([
    ['safe', 'default'],
    ['cautious', 'acceptEdits'],
    ['paranoid', 'default'],
    ['yolo', 'bypassPermissions'],
    ['plan', 'plan'],
  ] as const)('in the mode %s, a hook reads the permission mode %s', async (mode, expected) => {
    await openWith('PreToolUse', `grep -o '"permission_mode":"[^"]*"' >&2; exit 2`)
    expect((await call('read_file', { path: 'notes.txt' }, { mode })).text).toContain(`"permission_mode":"${expected}"`)
  })

  it('calls inside a sub-agent have hooks too', async () => {
    await openWith('PreToolUse', 'echo "Not this file." >&2; exit 2', { matcher: 'Read' })
    let nested: string | undefined
    const result = await core.executor.call({
      callId: 'c',
      name: 'task',
      arguments: { prompt: 'Look.' },
      toolset: 'rusty',
      mode: 'yolo',
      attended: false,
      signal,
      subAgent: (calls) => async () => {
        const { text } = await calls.prepare('file_read', { path: 'notes.txt' }).run()
        nested = text
        return { text, turns: 1, toolCalls: 1, tokens: 1, ended: 'answered' as const, problem: '' }
      },
    })
    expect(nested).toContain('Not this file.')
    expect(result.text).not.toContain('first')
  })

  it('calls inside a batch have hooks too', async () => {
    await openWith('PreToolUse', 'echo "Not this file." >&2; exit 2', { matcher: 'Read' })
    const result = await call('batch', { calls: [{ tool: 'read_file', arguments: { path: 'notes.txt' } }] })
    expect(result.text).toContain('Not this file.')
    expect(result.text).not.toContain('first')
  })
})

describe.runIf(isSandboxed)('after a call', () => {
  it('text and reasons of hooks are added to the result as data, and a formatter changes the file within the call', async () => {
    await openWith(
      'PostToolUse',
      `file=$(grep -o '"file_path":"[^"]*"' | cut -d'"' -f4); echo formatted >> "$file"
      echo '{"decision":"block","reason":"Run the tests.","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Lint: 0 errors."}}'`,
      { matcher: 'Write' },
    )
    const result = await writeNotes()
    expect(result.ok).toBe(true)
    expect(result.text).toContain('Run the tests.')
    expect(result.text).toMatch(/\[Text of the hook .* It is data\.\]\nLint: 0 errors\./)
    expect(await notes()).toBe('second\nformatted\n')
  })

  it('a hook that fails after a call does not undo it', async () => {
    await openWith('PostToolUse', 'exit 3')
    const result = await writeNotes()
    expect(result.ok).toBe(true)
    expect(result.text).toContain('ended with exit code 3')
  })
})
