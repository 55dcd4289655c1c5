import { mkdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Explanation } from '../../shared/tools/explanation.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import { readInvocations } from '../command/invocations.ts'
import { needsNetwork } from '../command/sandbox/networkCommands.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createArgumentLookup } from '../workspaceServices/workspaceExaminer.ts'
import type { ExamineCommand } from './commandExamination.ts'
import { bypasses, bypassSources } from './testing/bypasses.ts'
import { ordinaryCommands } from './testing/ordinaryCommands.ts'
import { testExaminer } from './testing/testExaminer.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let examine: ExamineCommand

beforeAll(async () => {
  folder = await temporaryFolder({
    'outside/secret.txt': 'secret',
    'root/package.json': '{}',
    'root/README.md': 'read me',
    'root/data.json': '{}',
    'root/src/a.ts': 'a',
    'root/src/b.ts': 'b',
    'root/src/id_ed25519': 'key',
    'root/.env': 'TOKEN=x',
    'root/.git/HEAD': 'ref: refs/heads/main',
    'root/bare/HEAD': 'ref: refs/heads/main',
    'root/bare/objects/x': '',
    'root/bare/refs/x': '',
    'root/bare/deep/x': '',
    'root/linkedBare/HEAD': 'ref: refs/heads/main',
    'root/linkedBare/commondir': '../bare',
  })
  const root = path.join(folder.root, 'root')
  await mkdir(path.join(root, 'packages/core'), { recursive: true })
  await symlink('../outside/secret.txt', path.join(root, 'link.md'))
  await symlink('../outside', path.join(root, 'linked'))
  const workspace = await openWorkspace(root, { dataFolders: [] })
  examine = testExaminer({
    lookup: createArgumentLookup(() => workspace),
    programs: {
      unsafePath: async () => undefined,
      realFile: async (name) => `/usr/bin/${name}`,
      isRepository: async () => true,
      startsConfigured: async () => false,
    },
    folders: () => ({ all: [root], own: [root] }),
    isTrusted: () => true,
  })
})
afterAll(() => folder.remove())

/** The same decision as in the sandbox. */
async function explainSandboxed(line: string, mode: Mode): Promise<{ explanation: Explanation; network: boolean }> {
  const found = await readInvocations(line)
  const network = found !== undefined && needsNetwork(found.commands)
  const { explanation } = await examine({ line, cwd: '.', mode, sandbox: { sandboxed: true, network } })
  return { explanation, network }
}

const outside = { sandboxed: false, reason: 'not available' } as const

describe('ordinary commands', () => {
  it.each(Object.entries(ordinaryCommands))(
    'of %s need no approval in cautious mode with a sandbox',
    async (_language, lines) => {
      for (const line of lines) {
        const { explanation } = await explainSandboxed(line, 'cautious')
        expect(explanation.verdict, `${line}: ${explanation.reason}`).toBe('allow')
      }
    },
  )

  it('are at least 200 different lines', () => {
    expect(new Set(Object.values(ordinaryCommands).flat()).size).toBeGreaterThanOrEqual(200)
  })
})

describe('a here-document of literal text', () => {
  it.each([
    "cat <<'E'\nrm -rf / $(id)\nE",
    'cat <<"E" | wc -l\n$HOME\nE',
    "wc -l <<'E'\na\nb\nE",
    'jq . <<< \'{"a": 1}\'',
    "grep -n x <<'E'\nx\nE",
  ])('is text for a read-only command, which needs no approval: %s', async (line) => {
    for (const mode of ['safe', 'cautious', 'plan'] as const) {
      const { explanation, onlyReads } = await examine({ line, cwd: '.', mode, sandbox: outside })
      expect(explanation.verdict, `${mode}: ${explanation.reason}`).toBe('allow')
      expect(onlyReads).toBe(true)
    }
  })

  it.each([
    "bash <<'E'\nid\nE",
    "cat <<'E' | bash\nid\nE",
    "python3 <<'E'\nprint()\nE",
    "sh <<< 'id'",
    "cat <<'E' > AGENTS.md\nx\nE",
    'cat <<E\n$(id)\nE',
    "cat <<'E' .env\nx\nE",
    "cat .env <<'E'\nx\nE",
  ])('needs approval where a program may run it: %s', async (line) => {
    for (const mode of ['safe', 'cautious'] as const) {
      const allowAll = await examine({ line, cwd: '.', mode, sandbox: { sandboxed: true, network: false } })
      expect(allowAll.explanation.verdict, mode).toBe('ask')
    }
  })
})

describe('published bypasses', () => {
  it('are at least 300 different lines with a source each', () => {
    expect(new Set(bypasses.map(([line]) => line)).size).toBeGreaterThanOrEqual(300)
    const used = new Set(bypasses.map(([, source]) => source))
    expect([...used].toSorted()).toEqual(Object.keys(bypassSources).toSorted())
  })

  it('are never read-only: safe mode requires approval and plan mode does not run them, with and without a sandbox', async () => {
    for (const [line] of bypasses) {
      for (const sandbox of [outside, { sandboxed: true, network: false } as const]) {
        for (const mode of ['safe', 'plan'] as const) {
          const { explanation, onlyReads } = await examine({ line, cwd: '.', mode, sandbox })
          expect(explanation.verdict, `${mode}: ${line}`).toBe(mode === 'safe' ? 'ask' : 'refuse')
          expect(onlyReads, line).toBe(false)
        }
      }
    }
  })

  it('run in cautious mode only in the sandbox, without network, and without naming a guarded place', async () => {
    const wrong: string[] = []
    for (const [line, , expected] of bypasses) {
      const { explanation, network } = await explainSandboxed(line, 'cautious')
      const shown = `${line}: ${explanation.reason}`
      if ((expected === 'asks') !== (explanation.verdict === 'ask')) wrong.push(shown)
      if (explanation.verdict === 'allow') expect([explanation.source, network], shown).toEqual(['sandbox', false])
      const without = await examine({ line, cwd: '.', mode: 'cautious', sandbox: outside })
      expect(without.explanation.verdict, line).toBe('ask')
    }
    expect(wrong).toEqual([])
  })
})
