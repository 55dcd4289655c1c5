import { posix } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { absoluteIn, relativeIn, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { PluginHooks } from '../settings/plugins/pluginStore.ts'
import { createTrustStore, type TrustStore } from '../settings/trustStore.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createHooks, type Hooks } from './hooks.ts'

// Decisions about hooks, over files in memory. An approved hook cannot start here, so it refuses with "failed".

let user: Awaited<ReturnType<typeof temporaryFolder>>
let trust: TrustStore
/** Text by absolute path. */
let files: Map<string, string>
beforeEach(async () => {
  user = await temporaryFolder()
  trust = await createTrustStore(user.root, () => undefined)
  files = new Map()
})
afterEach(() => user.remove())

const signal = new AbortController().signal
const settings = '.claude/settings.json'
const local = '.claude/settings.local.json'

function define(folder: string, commands: readonly (string | object)[], { file = settings, matcher = 'Write' } = {}) {
  const hooks = commands.map((each) => (typeof each === 'string' ? { type: 'command', command: each } : each))
  files.set(`${folder}/${file}`, JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks }] } }))
}

const single = (root: string): WorkspaceRoots => ({ root })
const several = (folders: Readonly<Record<string, string>>): WorkspaceRoots => ({
  root: '/links',
  folders: Object.entries(folders).map(([name, path]) => ({ name, path })),
})

/** Opens a workspace. @param worktrees repositories by their worktrees */
function open(
  workspace: WorkspaceRoots,
  {
    worktrees = {},
    plugins = [],
    trusted = true,
  }: { worktrees?: Record<string, string>; plugins?: PluginHooks[]; trusted?: boolean } = {},
): Hooks {
  return createHooks({
    workspace,
    trustedAs: (folder) => worktrees[folder] ?? folder,
    trust,
    folderTrusted: () => trusted,
    readText: async (path) => files.get(absoluteIn(workspace, path)) ?? null,
    async hashFile(path) {
      if (!trusted) throw new Error('A restricted folder decides what is read.')
      const absolute = posix.isAbsolute(path) ? path : absoluteIn(workspace, path)
      const [text, relative] = [files.get(absolute), relativeIn(workspace, absolute)]
      return text === undefined || relative === null ? null : { path: relative, hash: text }
    },
    plugins: async () => plugins,
    start: () => Promise.reject(new ToolError('refused', 'Nothing starts here.', '')),
    findProgram: () => '/bin/bash',
    record: () => undefined,
    onNotice: () => undefined,
  })
}

const stateOf = async (hooks: Hooks) => (await hooks.list()).hooks.map(({ state }) => state)

/** Decides about the hooks with a command, or all. */
async function decide(hooks: Hooks, approved: boolean, command?: string): Promise<void> {
  for (const hook of (await hooks.list()).hooks)
    if (command === undefined || hook.command === command) await hooks.decide(hook.id, approved)
}

async function blocked(hooks: Hooks): Promise<string | undefined> {
  const caller = { client: 'window', mode: 'yolo' } as const
  const request = { event: 'PreToolUse', names: ['Write'], fields: {}, caller } as const
  return (await hooks.run(request, signal)).blocked
}

it('an approved hook stays approved when a folder is added, renamed or removed', async () => {
  define('/a', ['bash guard.sh'])
  files.set('/a/guard.sh', 'v1')
  await decide(open(single('/a')), true)
  for (const workspace of [several({ a: '/a', b: '/b' }), several({ b: '/b', renamed: '/a' }), single('/a')]) {
    expect(await stateOf(open(workspace))).toEqual(['approved'])
    expect(await blocked(open(workspace))).toContain('failed')
  }
  files.set('/a/guard.sh', 'v2')
  expect(await blocked(open(several({ b: '/b', a: '/a' })))).toContain('has changed since it was approved')
  await decide(open(several({ b: '/b', a: '/a' })), true)
  expect(await stateOf(open(single('/a')))).toEqual(['approved'])
  // The same command in another folder is another hook.
  define('/b', ['bash guard.sh'])
  expect(await stateOf(open(several({ a: '/a', b: '/b' })))).toEqual(['approved', 'new'])
})

it('a hook that is gone from one of several folders refuses there', async () => {
  define('/a', ['one'])
  await decide(open(several({ a: '/a', b: '/b' })), true)
  define('/a', ['two'])
  define('/b', ['two'])
  expect(await stateOf(open(several({ a: '/a', b: '/b' })))).toEqual(['changed', 'new'])
  expect(await stateOf(open(single('/a')))).toEqual(['changed'])
})

it('the worktree of a session has the decisions of its repository, alone and among several folders', async () => {
  const worktrees = { '/tree': '/a' }
  for (const folder of ['/a', '/tree']) define(folder, ['one'])
  await decide(open(single('/a')), true)
  expect(await stateOf(open(single('/tree'), { worktrees }))).toEqual(['approved'])
  expect(await stateOf(open(several({ tree: '/tree', b: '/b' }), { worktrees }))).toEqual(['approved'])
  define('/tree', ['two'])
  const both = several({ a: '/a', tree: '/tree' })
  expect(await stateOf(open(both, { worktrees }))).toEqual(['approved', 'changed'])
})

it('decisions of earlier versions about a single folder stay valid', async () => {
  define('/a', ['bash guard.sh'])
  files.set('/a/guard.sh', 'v1')
  const command = 'bash guard.sh'
  await trust.decide(
    {
      workspace: '/a',
      kind: 'hook',
      name: `${settings} PreToolUse ${command}`,
      definition: { source: settings, event: 'PreToolUse', matcher: 'Write', command, timeout: 60 },
      programs: { 'guard.sh': 'v1' },
    },
    true,
  )
  expect(await stateOf(open(single('/a')))).toEqual(['approved'])
})

it('a deleted hook beside one that is not used refuses until the user turns it off', async () => {
  const prompt = { type: 'prompt', prompt: 'x' }
  define('/a', ['one', prompt])
  const hooks = open(single('/a'))
  await decide(hooks, true)
  define('/a', [prompt])
  expect(await stateOf(hooks)).toEqual(['lost'])
  expect(await blocked(hooks)).toContain('turns the hook off in Settings, under Hooks')
  await decide(hooks, false)
  expect(await stateOf(hooks)).toEqual([])
  expect(await blocked(hooks)).toBeUndefined()
  define('/a', ['one'])
  expect(await stateOf(hooks)).toEqual(['refused'])
})

it('a hook of a file that cannot be read refuses, and is approved again with the file', async () => {
  define('/a', ['one'])
  const hooks = open(single('/a'))
  await decide(hooks, true)
  files.set(`/a/${settings}`, '{')
  expect(await stateOf(hooks)).toEqual(['lost'])
  expect(await blocked(hooks)).toContain('can no longer be read')
  define('/a', ['one'])
  expect(await stateOf(hooks)).toEqual(['approved'])
})

it('a hook that was turned off and then edited is new, and refuses nothing', async () => {
  define('/a', ['one'])
  const hooks = open(single('/a'))
  await decide(hooks, false)
  define('/a', ['one'], { matcher: 'Write|Edit' })
  expect(await stateOf(hooks)).toEqual(['new'])
  expect(await blocked(hooks)).toBeUndefined()
})

it('an update of a plug-in does not turn on a hook that is off in the folder', async () => {
  const hook = { event: 'PreToolUse', matcher: '', command: 'check', timeout: 60, source: 'hooks.json' } as const
  const plugin = {
    name: 'forge',
    root: '/forge',
    data: '/forge-data',
    hash: '1',
    hooks: [hook],
    isChanged: async () => false,
  }
  expect(await stateOf(open(single('/a'), { plugins: [plugin] }))).toEqual(['approved'])
  await decide(open(single('/a'), { plugins: [plugin] }), false)
  const updated = open(single('/a'), { plugins: [{ ...plugin, hash: '2' }] })
  expect(await stateOf(updated)).toEqual(['refused'])
  expect(await blocked(updated)).toBeUndefined()
})

it('a script that differs between a repository and its worktree stays approved in both', async () => {
  const worktrees = { '/tree': '/a' }
  for (const folder of ['/a', '/tree']) {
    define(folder, ['bash guard.sh'])
    files.set(`${folder}/guard.sh`, folder)
  }
  const [main, tree] = [open(single('/a')), open(single('/tree'), { worktrees })]
  await decide(main, true)
  expect(await stateOf(tree)).toEqual(['changed'])
  await decide(tree, true)
  expect(await stateOf(main)).toEqual(['approved'])
  expect(await stateOf(tree)).toEqual(['approved'])
  await decide(main, false)
  expect(await stateOf(tree)).toEqual(['refused'])
})

it('branches that define different commands keep their approvals, and each still notices a change', async () => {
  const hooks = open(single('/a'))
  define('/a', ['one'])
  await decide(hooks, true)
  define('/a', ['two'])
  expect(await stateOf(hooks)).toEqual(['changed'])
  await decide(hooks, true)
  define('/a', ['one'])
  expect(await stateOf(hooks)).toEqual(['approved'])
  define('/a', ['two', 'more'])
  expect(await stateOf(hooks)).toEqual(['approved', 'new'])
  for (const command of ['one changed', 'two changed']) {
    define('/a', [command])
    expect(await stateOf(hooks)).toEqual(['changed'])
  }
})

it('an approved hook that moves to another file refuses until the user decides', async () => {
  define('/a', ['one'])
  const hooks = open(single('/a'))
  await decide(hooks, true)
  files.delete(`/a/${settings}`)
  define('/a', ['one'], { file: local })
  expect(await stateOf(hooks)).toEqual(['changed'])
  expect(await blocked(hooks)).toContain('approved hooks for the same event are gone: "one"')
  await decide(hooks, true)
  expect(await stateOf(hooks)).toEqual(['approved'])
})

it('equal commands can be approved beside one that ends with a number', async () => {
  define('/a', ['b', 'b', 'b 2', 'b 2'])
  const hooks = open(single('/a'))
  await decide(hooks, true)
  expect(await stateOf(hooks)).toEqual(Array.from({ length: 4 }, () => 'approved'))
})

it('in a restricted folder no script is read, and decisions are shown without them', async () => {
  define('/a', ['bash guard.sh', 'two'])
  files.set('/a/guard.sh', 'v1')
  await decide(open(single('/a')), true, 'bash guard.sh')
  const restricted = open(single('/a'), { trusted: false })
  expect(await stateOf(restricted)).toEqual(['approved', 'new'])
  await expect(decide(restricted, true)).rejects.toThrow('restricted')
})
