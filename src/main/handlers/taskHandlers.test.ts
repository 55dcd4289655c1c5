import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createTaskHandlers } from './taskHandlers.ts'

const never = new AbortController().signal
const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = []
afterEach(() => Promise.all(folders.splice(0).map((folder) => folder.remove())))

async function handlersFor(files: Record<string, string>) {
  const folder = await temporaryFolder(files)
  folders.push(folder)
  const workspace = await openWorkspace(folder.root)
  const variables = async () => ({ root: folder.root, home: '/h', environment: {}, active: null, inputs: {} })
  return { handlers: createTaskHandlers(() => ({ workspace, variables })), root: folder.root }
}

it('lists the tasks of all files of the folder', async () => {
  const { handlers } = await handlersFor({
    'package.json': '{"scripts":{"build":"x"}}',
    'yarn.lock': '',
    Makefile: 'all:\n',
    '.vscode/tasks.json': '{"tasks":[{"label":"go","command":"${workspaceFolder}/go"}]}',
  })
  const tasks = await handlers['tasks.list']({}, never)
  expect(tasks.map(({ name, source }) => `${source} ${name}`)).toEqual([
    'package.json build',
    '.vscode/tasks.json go',
    'Makefile all',
  ])
  expect(tasks[0]?.command).toBe('yarn run build')
})

it('a file that is a link to the outside defines none, and the others still do', async () => {
  const outside = await handlersFor({ 'package.json': '{"scripts":{"steal":"x"}}' })
  const { handlers, root } = await handlersFor({ Makefile: 'all:\n' })
  await symlink(join(outside.root, 'package.json'), join(root, 'package.json'))
  expect((await handlers['tasks.list']({}, never)).map(({ name }) => name)).toEqual(['all'])
  expect(await handlers['tests.find']({ path: 'a.test.ts', text: "it('a')" }, never)).toEqual([])
})

it('finds the tests of unsaved text', async () => {
  const { handlers } = await handlersFor({ 'package.json': '{"devDependencies":{"vitest":"5"}}', 'pnpm-lock.yaml': '' })
  expect(await handlers['tests.find']({ path: 'a.test.ts', text: "it('adds')" }, never)).toEqual([
    { name: 'adds', line: 1, command: 'pnpm exec vitest run a.test.ts -t adds' },
  ])
})
