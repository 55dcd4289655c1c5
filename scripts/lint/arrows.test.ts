import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, cpSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
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
    ['src/renderer/chat/x.tsx', '../editor/editorActions.ts'],
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
    ['src/main/handlers/x.ts', '../hosts/connection.ts'],
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
  ['src/main/hosts/browser/x.ts', '../../core.ts'],
  ['src/main/hosts/electron/x.ts', 'electron'],
  ['src/main/index.ts', 'electron'],
  ['src/main/index.ts', './hosts/electron/desktop.ts'],
  ['src/preload/index.ts', 'electron'],
  ['src/renderer/chat/x.tsx', '../../shared/protocol.ts'],
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

  const lint = (file: string, source: string) => {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    writeFileSync(join(tree, file), `${source}\n`)
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'node_modules/oxlint/bin/oxlint'), file], {
      cwd: tree,
      encoding: 'utf8',
    })
    rmSync(join(tree, file))
    return { status, stdout }
  }

  it.each([
    ['an import', "import { createCore } from '../core.ts'\nexport const made = createCore"],
    ['a type', "import type { Core } from '../core.ts'\nexport type Made = Core"],
    ['an inline type', "export type Made = import('../core.ts').Core"],
    ['a re-export', "export { createCore } from '../core.ts'"],
    ['a dynamic import', "export const made = await import('../core.ts')"],
    ['a worker', "export const url = new URL('../core.ts', import.meta.url)"],
  ])('fails on %s that points up', (_kind, source) => {
    expect(lint('src/main/search/wrong.ts', source)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('tizona(arrows)'),
    })
  })

  it('fails on a tool family that imports another', () => {
    const source = "import { echo } from '../rustant/echo.ts'\nexport const tool = echo"
    expect(lint('src/main/tools/rusty/wrong.ts', source)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('A tool family imports no other'),
    })
  })

  it('fails on a feature of the window that imports another', () => {
    const source = "import { openFile } from '../editor/editorActions.ts'\nexport const open = openFile"
    expect(lint('src/renderer/chat/wrong.ts', source)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('A feature imports no other'),
    })
  })

  it.each([
    ['a promise that is not awaited', 'const later = async () => 1\nlater()\nexport {}', 'no-floating-promises'],
    ['any', 'export const x: any = 1', 'no-explicit-any'],
    ['a non-null assertion', 'export const x = (y: string | null) => y!.length', 'no-non-null-assertion'],
    ['a disabled check', '// @ts-ignore\nexport const x: string = 1', 'ban-ts-comment'],
  ])('fails on %s', (_kind, source, rule) => {
    expect(lint('src/main/search/wrong.ts', source)).toMatchObject({ status: 1, stdout: expect.stringContaining(rule) })
  })

  it('accepts valid code', () => {
    expect(
      lint(
        'src/main/search/right.ts',
        "import { ToolError } from '../../shared/errors.ts'\nexport const made = new ToolError('timeout', 'late')",
      ),
    ).toMatchObject({ status: 0 })
  })
})
