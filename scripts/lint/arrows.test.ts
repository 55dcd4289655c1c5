import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, cpSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violation } from './arrows.mjs'

const root = resolve(import.meta.dirname, '../..')

describe('an import against the layers is refused', () => {
  it.each([
    ['src/shared/x.ts', '../main/core.ts'],
    ['src/shared/x.ts', 'node:fs'],
    ['src/preload/x.ts', '../main/core.ts'],
    ['src/renderer/chat/x.tsx', '../../main/core.ts'],
    ['src/renderer/x.ts', '../preload/index.ts'],
    ['src/renderer/ui/x.tsx', '../platform/commands.ts'],
    ['src/renderer/platform/x.ts', '../chat/chatStore.ts'],
    ['src/renderer/platform/x.ts', '../app/Workbench.tsx'],
    ['src/renderer/chat/x.tsx', '../app/Workbench.tsx'],
    ['src/renderer/chat/x.tsx', '../terminal/JobsPanel.tsx'],
    ['src/renderer/chat/x.tsx', '../editor/openTab.ts'],
    ['src/renderer/settings/mcp/x.tsx', '../../chat/chatStore.ts'],
    ['src/renderer/ui/x.tsx', '../editor/TabBar.tsx'],
    ['src/renderer/x.ts', 'node:path'],
    ['src/main/edit/x.ts', '../workspace/containment.ts'],
    ['src/main/search/x.ts', '../workspace/containment.ts'],
    ['src/main/base/x.ts', '../workspace/containment.ts'],
    ['src/main/search/x.ts', '../agent/loop.ts'],
    ['src/main/search/x.ts', '../core.ts'],
    ['src/main/tools/blade/x.ts', '../../agent/agent.ts'],
    ['src/main/tools/rusty/x.ts', '../blade/writeFile.ts'],
    ['src/main/tools/blade/investigation/x.ts', '../../tizona/todoWrite.ts'],
    ['src/main/tools/common/x.ts', '../blade/bladeTruncation.ts'],
    ['src/main/tools/arguments/x.ts', '../rustant/echo.ts'],
    ['src/main/agent/x.ts', '../core.ts'],
    ['src/main/core.ts', './hosts/connection.ts'],
    ['src/main/core/x.ts', '../handlers/toolHandlers.ts'],
    ['src/main/handlers/x.ts', '../hosts/connection.ts'],
    ['src/main/workspaceServices/x.ts', '../handlers/allHandlers.ts'],
    ['src/main/appServices/x.ts', '../workspaceServices/openSession.ts'],
    ['src/main/appServices/x.ts', '../handlers/allHandlers.ts'],
    ['src/main/agent/x.ts', '../appServices/eventHub.ts'],
    ['src/main/hosts/x.ts', '../workspace/containment.ts'],
    ['src/main/hosts/x.ts', './electron/window.ts'],
    ['src/main/serve.ts', './hosts/electron/window.ts'],
    ['src/main/hosts/x.ts', 'electron'],
    ['src/main/serve.ts', 'electron'],
    ['src/main/core.ts', 'electron'],
    ['src/main/web/x.ts', 'electron'],
    ['src/renderer/x.ts', 'electron'],
    ['src/shared/x.ts', 'electron/main'],
  ])('%s -> %s', (file, specifier) => {
    expect(violation(file, specifier, false)).toMatch(/\w/)
  })

  it('also if it imports only a type, unless it is the type of another service', () => {
    expect(violation('src/main/search/x.ts', '../agent/agent.ts', true)).toMatch(/may not import/)
    expect(violation('src/main/hosts/x.ts', 'electron', true)).toMatch(/electron/)
    expect(violation('src/main/search/x.ts', '../workspace/containment.ts', true)).toBeNull()
  })
})

it('a process starts in one place, and only its types are used elsewhere', () => {
  for (const specifier of ['node:child_process', 'child_process', 'node-pty', 'node:cluster'])
    for (const file of ['src/main/search/x.ts', 'src/main/core.ts', 'src/main/hosts/electron/x.ts'])
      expect(violation(file, specifier, false), `${file} ${specifier}`).toMatch(/startProcess\.ts/)
  expect(violation('src/main/search/x.ts', 'node:child_process', true)).toBeNull()
  expect(violation('src/main/base/startProcess.ts', 'node:child_process', false)).toBeNull()
  expect(violation('src/main/search/x.test.ts', 'node:child_process', false)).toBeNull()
})

it.each([
  ['src/main/search/x.ts', './ripgrep.ts'],
  ['src/main/search/x.ts', '../base/glob.ts'],
  ['src/main/search/x.ts', '../../shared/errors.ts'],
  ['src/main/search/x.ts', '../edit/fileDiff.ts'],
  ['src/main/tools/blade/x.ts', '../../workspace/documents.ts'],
  ['src/main/tools/blade/investigation/x.ts', '../../common/searchReport.ts'],
  ['src/main/tools/common/x.ts', '../tool.ts'],
  ['src/main/tools/executor.ts', './tizona/tizonaTools.ts'],
  ['src/main/core.ts', './agent/agent.ts'],
  ['src/main/handlers/x.ts', '../workspaceServices/openSession.ts'],
  ['src/main/workspaceServices/x.ts', '../appServices/platform.ts'],
  ['src/main/hosts/browser/x.ts', '../../core.ts'],
  ['src/main/hosts/electron/x.ts', 'electron'],
  ['src/main/index.ts', 'electron'],
  ['src/main/index.ts', './hosts/electron/desktop.ts'],
  ['src/preload/index.ts', 'electron'],
  ['src/renderer/chat/x.tsx', '../../shared/bridge/protocol.ts'],
  ['src/renderer/chat/x.tsx', '../platform/commands.ts'],
  ['src/renderer/chat/x.tsx', './items/Notice.tsx'],
  ['src/renderer/settings/mcp/x.tsx', '../saveSetting.ts'],
  ['src/renderer/chat/x.tsx', '../platform/editor/editorService.ts'],
  ['src/renderer/app/x.tsx', '../chat/ChatPanel.tsx'],
  ['src/renderer/platform/x.tsx', '../ui/Button.tsx'],
  ['src/main/search/x.test.ts', '../workspace/containment.ts'],
  ['src/main/search/x.ts', 'node:fs/promises'],
])('%s -> %s is accepted', (file, specifier) => {
  expect(violation(file, specifier, false)).toBeNull()
})

describe("oxlint with this project's configuration", () => {
  const tree = mkdtempSync(join(tmpdir(), 'tizona-lint-'))
  afterAll(() => rmSync(tree, { recursive: true, force: true }))
  cpSync(join(root, '.oxlintrc.json'), join(tree, '.oxlintrc.json'))
  cpSync(join(root, 'scripts/lint'), join(tree, 'scripts/lint'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  for (const name of ['package.json', 'tsconfig.base.json', 'tsconfig.node.json', 'tsconfig.json', 'tsconfig.web.json'])
    cpSync(join(root, name), join(tree, name))

  const search = 'src/main/search'
  const failing: [kind: string, file: string, source: string, problem: string][] = [
    ...[
      ['an import that points up', "import { createCore } from '../core.ts'\nexport const made = createCore"],
      ['a type that points up', "import type { Core } from '../core.ts'\nexport type Made = Core"],
      ['an inline type that points up', "export type Made = import('../core.ts').Core"],
      ['a re-export that points up', "export { createCore } from '../core.ts'"],
      ['a dynamic import that points up', "export const made = await import('../core.ts')"],
      ['a worker that points up', "export const url = new URL('../core.ts', import.meta.url)"],
    ].map(([kind = '', source = ''], index): [string, string, string, string] => [
      kind,
      `${search}/up${index}.ts`,
      source,
      'tizona(arrows)',
    ]),
    [
      'a service of the folder that imports a handler',
      'src/main/workspaceServices/wrong.ts',
      "import type { Handlers } from '../handlers/allHandlers.ts'\nexport type Made = Handlers",
      'tizona(arrows)',
    ],
    [
      'a service of the app that imports one of the folder',
      'src/main/appServices/wrong.ts',
      "import { openSession } from '../workspaceServices/openSession.ts'\nexport const open = openSession",
      'tizona(arrows)',
    ],
    [
      'a tool family that imports another',
      'src/main/tools/rusty/wrong.ts',
      "import { echo } from '../rustant/echo.ts'\nexport const tool = echo",
      'A tool family imports no other',
    ],
    [
      'a feature of the window that imports another',
      'src/renderer/chat/wrong.ts',
      "import { openFile } from '../editor/openTab.ts'\nexport const open = openFile",
      'A feature imports no other',
    ],
    [
      'a promise that is not awaited',
      `${search}/promise.ts`,
      'const later = async () => 1\nlater()\nexport {}',
      'no-floating-promises',
    ],
    [
      'documentation of a parameter that does not exist',
      `${search}/param.ts`,
      '/** @param size in bytes */\nexport const x = ({ bytes }: { bytes: number }) => bytes',
      'has no parameter \\"size\\"',
    ],
    ['any', `${search}/any.ts`, 'export const x: any = 1', 'no-explicit-any'],
    [
      'a non-null assertion',
      `${search}/assertion.ts`,
      'export const x = (y: string | null) => y!.length',
      'no-non-null-assertion',
    ],
    ['a disabled check', `${search}/disabled.ts`, '// @ts-ignore\nexport const x: string = 1', 'ban-ts-comment'],
  ]
  const valid = `${search}/right.ts`

  /** Errors by file, of one run for all files. */
  let errors: Map<string, string[]>
  beforeAll(() => {
    const right =
      "import { ToolError } from '../../shared/errors.ts'\nexport const made = new ToolError('timeout', 'late')\n" +
      '/** @param bytes size @param limits.most size */\n' +
      'export const fits = ({ bytes }: { bytes: number }, limits: { most: number }) => bytes <= limits.most'
    for (const [file, source] of [[valid, right], ...failing.map(([, name, text]) => [name, text])] as const) {
      mkdirSync(dirname(join(tree, file)), { recursive: true })
      writeFileSync(join(tree, file), `${source}\n`)
    }
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/oxlint/bin/oxlint'), '--format=json', 'src'],
      { cwd: tree, encoding: 'utf8' },
    )
    expect(status, stdout).toBe(1)
    // oxlint's own output.
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; severity: string }[] }
    errors = new Map()
    for (const each of diagnostics)
      if (each.severity === 'error')
        errors.set(each.filename, [...(errors.get(each.filename) ?? []), JSON.stringify(each)])
  })

  it.each(failing)('fails on %s', (_kind, file, _source, problem) => {
    expect(errors.get(file)).toContainEqual(expect.stringContaining(problem))
  })

  it('accepts valid code', () => {
    expect(errors.get(valid)).toBeUndefined()
  })
})
