import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createJobs } from '../command/jobs.ts'
import { runGit } from '../git/runGit.ts'
import { createStdioTransport } from '../mcp/stdioTransport.ts'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { isInOpenFolder, recordOpenFolder } from './openFolders.ts'
import { findProgramByName } from './programSearch.ts'
import { pathExists } from './smallFile.ts'
import { startProcess } from './startProcess.ts'

// The folder `repo` is a hostile repository with programs that leave a trace. Its `bin` is on PATH.

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let repo: string
let recordClosed: () => void
const ownPath = process.env['PATH'] ?? ''

beforeEach(async () => {
  folder = await temporaryFolder()
  repo = path.join(folder.root, 'repo')
  for (const name of ['git', 'bash', 'node', 'sh', 'npx', 'tool']) {
    await writeTree(repo, { [`bin/${name}`]: `#!/bin/sh\n: > ${path.join(folder.root, 'started')}\n` })
    await chmod(path.join(repo, 'bin', name), 0o755)
  }
  recordClosed = recordOpenFolder(repo)
  process.env['PATH'] = [path.join(repo, 'bin'), ownPath].join(path.delimiter)
})
afterEach(async () => {
  process.env['PATH'] = ownPath
  recordClosed()
  await folder.remove()
})

const started = () => pathExists(path.join(folder.root, 'started'))
const { signal } = new AbortController()

describe.skipIf(process.platform === 'win32')('a program of an open folder that is on PATH', () => {
  it('is not started as git', async () => {
    execFileSync('/usr/bin/env', [`PATH=${ownPath}`, 'git', 'init', '-q', repo])
    expect(await runGit({ args: ['rev-parse', '--is-inside-work-tree'], folder: repo, signal })).toMatchObject({
      code: 0,
    })
    expect(await started()).toBe(false)
  })

  it('is not the shell that runs a command', async () => {
    const jobs = createJobs({ workspaceRoot: repo, onChanged: () => undefined, onOutput: () => undefined })
    const { output } = await jobs.run({ run: { command: 'echo done' }, cwd: repo }, signal)
    await jobs.dispose()
    expect(output).toContain('done')
    expect(await started()).toBe(false)
  })

  it('is not started for an MCP server, nor by a script that searches PATH', async () => {
    await writeTree(folder.root, { 'own/server': '#!/usr/bin/env node\nsetTimeout(() => {}, 50)\n' })
    await chmod(path.join(folder.root, 'own/server'), 0o755)
    for (const command of ['node', path.join(folder.root, 'own/server')]) {
      const transport = createStdioTransport({
        definition: { type: 'stdio', command, args: ['-e', ''], env: {} },
        cwd: folder.root,
        log: { add: () => undefined, write: () => undefined, lines: () => [] } as never,
        processes: { variable: 'X', begin: async () => 'x', started: () => undefined, end: async () => undefined },
      })
      const closed = new Promise<void>((resolve) => {
        transport.onclose = resolve
      })
      await transport.start()
      await closed
      expect(await started(), command).toBe(false)
    }
  })

  it('counts as missing if there is no other', async () => {
    const child = startProcess('tool', [], { startedBy: 'tizona', cwd: path.join(repo, 'bin') })
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ENOENT')
  })

  it('is not found through a relative or empty entry, a link to the folder, or a link to the program', async () => {
    await symlink(repo, path.join(folder.root, 'link'))
    await mkdir(path.join(folder.root, 'own'))
    await symlink(path.join(repo, 'bin/tool'), path.join(folder.root, 'own/tool'))
    const link = path.join(folder.root, 'link')
    for (const entry of [link, path.join(link, 'bin'), path.join(folder.root, 'own'), '', '.', 'bin', `${link}/../bin`])
      expect(findProgramByName('tool', entry), entry).toBeUndefined()
  })

  it('is found when the folder is closed', () => {
    recordClosed()
    expect(findProgramByName('tool', path.join(repo, 'bin'))).toBe(path.join(repo, 'bin/tool'))
  })
})

it('an open folder with the home of the user in it is not the origin of a program', () => {
  const closed = recordOpenFolder(path.dirname(homedir()))
  expect(isInOpenFolder(path.join(homedir(), '.local/bin/tool'))).toBe(false)
  closed()
})
