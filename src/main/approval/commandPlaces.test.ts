import { rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testExaminer } from './testing/testExaminer.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace, type Workspace } from '../workspace/containment.ts'
import { createArgumentLookup } from '../workspaceServices/workspaceExaminer.ts'
import { createGate, type Gate, type GateCall } from './gate.ts'

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gate: Gate
let workspace: Workspace

beforeEach(async () => {
  folder = await temporaryFolder({
    'outside/secret.txt': 'secret',
    'home/Tizona/settings.json': '{}',
    'root/notes.md': 'notes',
    'root/data.json': '{}',
    'root/src/a.ts': 'a',
    'root/deploy/id_ed25519': 'key',
    'root/.github/workflows/ci.yml': 'on: push',
  })
  const root = path.join(folder.root, 'root')
  await symlink('../outside/secret.txt', path.join(root, 'link.md'))
  await symlink('../outside', path.join(root, 'linked'))
  await symlink('deploy/id_ed25519', path.join(root, 'harmless.txt'))
  workspace = await openWorkspace(root, { dataFolders: [path.join(folder.root, 'home/Tizona')] })
  gate = createGate({
    examine: testExaminer({ lookup: createArgumentLookup(() => workspace) }),
    onRequested: ({ id, prefix }) =>
      queueMicrotask(() => gate.decide(id, { kind: prefix === undefined ? 'exact' : 'prefix' })),
    onResolved: () => undefined,
  })
})
afterEach(() => folder.remove())

const command = (line: string, rest: Partial<GateCall> = {}): GateCall => ({
  callId: 'c',
  tool: 'run_command',
  title: 'Run command',
  risk: 'execute',
  mode: 'cautious',
  arguments: { command: line },
  writes: [],
  command: line,
  cwd: '.',
  attended: false,
  ...rest,
})

async function passes(call: GateCall): Promise<boolean> {
  return (await gate.check(call, never)).kind === 'allow'
}

describe('a granted prefix', () => {
  it.each([
    ['cat notes.md', 'cat src/a.ts', 'cat link.md'],
    ['cat notes.md', 'cat missing.md', 'cat linked/secret.txt'],
    ['head -n1 notes.md', 'head -n2 src/a.ts', 'head -n2 harmless.txt'],
    ['cat notes.md', 'cat -n src/a.ts', 'cat deploy/id_ed25519'],
    ['ls src', 'ls deploy', 'ls linked'],
    ['grep -rn a src', 'grep -n b notes.md', 'grep -rn key .'],
    ['grep -rn a src', 'grep -rn b src', 'grep -rn key deploy'],
    ['rg a src', 'rg b src', 'rg key deploy'],
    ['jq .a data.json', 'jq -r .env data.json', 'jq env data.json'],
  ])('from %j covers %j and not %j', async (granted, covered, refused) => {
    expect(await passes(command(granted))).toBe(false)
    expect((await gate.check(command(granted, { attended: true }), never)).kind).toBe('allow')
    expect(await passes(command(covered))).toBe(true)
    expect(await passes(command(refused))).toBe(false)
  })

  it.runIf(process.platform !== 'win32')('resolves arguments in the working folder of the command', async () => {
    expect((await gate.check(command('cat a.ts', { cwd: 'src', attended: true }), never)).kind).toBe('allow')
    expect(await passes(command('cat ../linked/secret.txt', { cwd: 'src' }))).toBe(false)
  })
})

describe('in yolo mode, a command', () => {
  it.each([
    'cat harmless.txt',
    'tar -cf out.tar deploy/id_ed25519',
    'cp notes.md .github/workflows/ci.yml',
    'mv notes.md AGENTS.md',
    'touch .git/hooks/pre-commit',
    'dd if=notes.md of=.envrc',
    'git config --file .git/config core.fsmonitor x',
  ])('%j needs approval', async (line) => {
    expect(await passes(command(line, { mode: 'yolo' }))).toBe(false)
  })

  it("that names Tizona's own data needs approval, inside the workspace or not", async () => {
    const file = path.join(folder.root, 'home/Tizona/settings.json')
    for (const line of [`cp notes.md ${file}`, 'cat ../home/Tizona/settings.json', 'tee ../home/tizona/new.json']) {
      const answer = await gate.check(command(line, { mode: 'yolo' }), never)
      expect(answer).toMatchObject({ kind: 'refuse', reason: expect.stringContaining("Tizona's own data") })
    }
  })

  it.each([
    'cat .github/workflows/ci.yml',
    'git add .github/workflows/ci.yml',
    'ls -la .github',
    'npm test',
    'cp notes.md copy.md',
    'echo .env',
    'cat link.md',
  ])('%j runs', async (line) => {
    expect(await passes(command(line, { mode: 'yolo' }))).toBe(true)
  })
})

describe('the secrets that a sandboxed command can read', () => {
  const sandboxed = (line: string): GateCall =>
    command(line, { sandbox: { sandboxed: true, network: false }, attended: true })

  it('are those that its approved line names', async () => {
    expect(await gate.check(sandboxed('cat deploy/id_ed25519 notes.md'), never)).toMatchObject({
      kind: 'allow',
      secrets: ['deploy/id_ed25519'],
    })
    expect(await gate.check(sandboxed('cat notes.md'), never)).not.toHaveProperty('secrets', expect.anything())
  })

  it('are on its card', async () => {
    const cards: unknown[] = []
    const asking = createGate({
      examine: testExaminer({ lookup: createArgumentLookup(() => workspace) }),
      onRequested: ({ id, sandbox }) => {
        cards.push(sandbox)
        queueMicrotask(() => asking.decide(id, { kind: 'refuse', reason: '' }))
      },
      onResolved: () => undefined,
    })
    expect(await asking.check(sandboxed('cat harmless.txt'), never)).toMatchObject({ kind: 'refuse' })
    expect(cards).toEqual([{ sandboxed: true, network: false, secrets: ['deploy/id_ed25519'] }])
  })

  it('do not include the later target of a link in a granted command line', async () => {
    const root = workspace.root
    const granting = createGate({
      examine: testExaminer({ lookup: createArgumentLookup(() => workspace) }),
      onRequested: ({ id }) => queueMicrotask(() => granting.decide(id, { kind: 'exact' })),
      onResolved: () => undefined,
    })
    const checked = async (line: string) => granting.check(sandboxed(line), never)
    await symlink('notes.md', path.join(root, 'later.md'))
    await checked('cat later.md')
    await rm(path.join(root, 'later.md'))
    await symlink('deploy/id_ed25519', path.join(root, 'later.md'))
    expect(await checked('cat later.md')).toMatchObject({ kind: 'allow', secrets: [] })
    await checked('cat deploy/id_ed25519')
    expect(await checked('cat deploy/id_ed25519')).toMatchObject({ kind: 'allow', secrets: ['deploy/id_ed25519'] })
  })
})
