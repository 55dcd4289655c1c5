import { DatabaseSync, type StatementSync } from 'node:sqlite'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import type { RequestName, RequestParams } from '../../../shared/bridge/protocol.ts'
import type { ToolsetName } from '../../../shared/tools/risk.ts'
import type { Core } from '../../core.ts'
import { inProcessIndex } from '../inProcessIndex.ts'

// Changes files as the agent or the user does, and kills its own process at a chosen step. Also started as a script.

/** What a process does before it is killed: `prepare`, and then `act`, in whose steps the kill comes. */
interface KilledChange {
  prepare?(made: Agent): Promise<unknown>
  act(made: Agent): Promise<unknown>
}

interface Agent {
  core: Core
  call(name: string, args: Record<string, unknown>, toolset?: ToolsetName): Promise<{ editId?: string | undefined }>
  /** Runs a command that the process kills in the middle. */
  command(line: string): Promise<unknown>
  request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<unknown>
}

const never = new AbortController().signal
const pending = { kind: 'pending' } as const

/** Files before everything. `data/` has all kinds of files, `many/` more than are stored one by one. */
export function originalFiles(): Map<string, { content: Buffer; mode: number }> {
  const files = new Map<string, { content: Buffer; mode: number }>()
  const add = (name: string, content: string | Buffer, mode = 0o644) =>
    files.set(name, { content: Buffer.from(content), mode })
  for (let index = 0; index < 12; index += 1) {
    const lines = Array.from({ length: 20 }, (_, line) => `${index} line ${line}\n`).join('')
    add(`data/f${index}.txt`, lines)
    add(`data/deep/er/g${index}.txt`, `${index}\r\nwindows\r\n`)
  }
  add('data/empty.txt', '')
  add('data/same.txt', '1\r\nwindows\r\n')
  add('data/image.png', Buffer.from([0x89, 0x50, 0, 1, 2, 3]))
  add('data/run.sh', '#!/bin/sh\necho run\n', 0o755)
  for (let index = 0; index < 600; index += 1) add(`many/${index % 7}/m${index}.txt`, `many ${index}\n`)
  add('beside.txt', 'beside\n')
  return files
}

const sections = ['*** Begin Patch']
for (let index = 0; index < 12; index += 1) {
  const file = `data/f${index}.txt`
  if (index % 4 === 0) sections.push(`*** Delete File: ${file}`)
  else if (index % 4 === 1) sections.push(`*** Add File: added/n${index}.txt`, '+new', '+lines')
  else {
    sections.push(`*** Update File: ${file}`)
    if (index % 4 === 3) sections.push(`*** Move to: moved/f${index}.txt`)
    sections.push('@@', ` ${index} line 3`, `-${index} line 4`, '+changed', ` ${index} line 5`)
  }
}
const patch = [...sections, '*** End Patch'].join('\n')

/** Changes of all kinds, finished before the kill. */
async function changeAll(made: Agent): Promise<void> {
  await made.call('apply_patch', { patch }, 'rusty')
  await made.call('move_file', { source: 'data/deep', destination: 'elsewhere/deep' })
  await made.call('copy_file', { source: 'data/image.png', destination: 'copied/image.png' })
  await made.call('delete_file', { path: 'data/run.sh' })
}

const undoAll = (made: Agent) => made.request('review.undo', { scope: pending, targets: 'all' })
let checkpoint = 0

export const killedChanges: Readonly<Record<string, KilledChange>> = {
  'copy a folder': { act: (made) => made.call('copy_file', { source: 'data', destination: 'new/copy' }) },
  'move a folder': { act: (made) => made.call('move_file', { source: 'data', destination: 'new/place' }) },
  'delete a folder': { act: (made) => made.call('delete_file', { path: 'data', recursive: true }) },
  'copy a large folder': { act: (made) => made.call('copy_file', { source: 'many', destination: 'new/copy' }) },
  'move a large folder': { act: (made) => made.call('move_file', { source: 'many', destination: 'new/place' }) },
  'delete a large folder': { act: (made) => made.call('delete_file', { path: 'many', recursive: true }) },
  'patch several files': { act: (made) => made.call('apply_patch', { patch }, 'rusty') },
  'edit after other changes': {
    prepare: changeAll,
    act: (made) => made.call('write_file', { path: 'data/f2.txt', content: 'rewritten\n' }),
  },
  'move a changed folder': {
    prepare: changeAll,
    act: (made) => made.call('move_file', { source: 'data', destination: 'elsewhere/again' }),
  },
  'run a command': {
    act: (made) =>
      made.command(
        'mv data/f0.txt moved.txt; KILL; rm -r data/deep; KILL; sed -i s/line/word/ data/f*.txt; KILL; cp -r many few; KILL; chmod 755 data/f1.txt; mkdir made; printf x > made/x; KILL',
      ),
  },
  'run a command after other changes': {
    prepare: changeAll,
    act: (made) => made.command('rm -r elsewhere copied; KILL; mv moved data/deep; KILL; rm -r many; KILL'),
  },
  'undo all': { prepare: changeAll, act: undoAll },
  'keep all': {
    prepare: changeAll,
    act: (made) => made.request('review.keep', { scope: pending, targets: 'all' }),
  },
  'revert an undo': {
    async prepare(made) {
      await changeAll(made)
      await undoAll(made)
    },
    act: (made) => made.request('review.revert', {}),
  },
  'repeat an undo': {
    async prepare(made) {
      await changeAll(made)
      await undoAll(made)
      await made.request('review.revert', {})
    },
    act: (made) => made.request('review.redo', {}),
  },
  'undo an edit': {
    async prepare(made) {
      await made.call('write_file', { path: 'data/f5.txt', content: 'first\n' })
      const { editId } = await made.call('apply_patch', { patch }, 'rusty')
      edit = editId ?? ''
    },
    act: (made) => made.request('edits.undo', { editId: edit }),
  },
  'restore a checkpoint': {
    async prepare(made) {
      await made.call('write_file', { path: 'data/f1.txt', content: 'before the checkpoint\n' })
      checkpoint = (await made.core.checkpoints().take({ reason: 'test' })).id
      await changeAll(made)
    },
    act: ({ core }) => core.checkpoints().restore(checkpoint),
  },
  'undo a restore': {
    async prepare(made) {
      const { id } = await made.core.checkpoints().take({ reason: 'test' })
      await changeAll(made)
      checkpoint = (await made.core.checkpoints().restore(id)).before
    },
    act: ({ core }) => core.checkpoints().restore(checkpoint),
  },
}
let edit = ''

/** Options of a core in the test and in the killed process. */
export function coreOptionsFor(userData: string) {
  return {
    platform: {
      host: 'headless' as const,
      version: 'test',
      userData,
      fork: inProcessIndex,
      resources: path.join(import.meta.dirname, '../../../../resources'),
    },
    settings: { mode: 'yolo' as const },
    trustWorkspace: true,
  }
}

/** Steps of the process since `armed`: calls that change the disk or the store. */
let steps = 0
let armed = false
let killAt = Number.POSITIVE_INFINITY

function step(): void {
  if (!armed) return
  steps += 1
  if (steps === killAt) process.kill(process.pid, 'SIGKILL')
}

/** Counts each call that changes the disk or the store, also those of modules that are loaded later. */
function countSteps(): void {
  const names = ['rename', 'unlink', 'rmdir', 'rm', 'mkdir', 'copyFile', 'symlink', 'chmod', 'writeFile'] as const
  const module_ = fs as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const name of names) {
    const original = module_[name]
    if (!original) throw new Error(`node:fs/promises has no ${name}.`)
    module_[name] = (...args) => {
      step()
      return original(...args)
    }
  }
  syncBuiltinESMExports()
  const db = new DatabaseSync(':memory:')
  const prototype = Object.getPrototypeOf(db.prepare('SELECT 1')) as StatementSync
  const { run: original } = prototype
  prototype.run = function counted(this: StatementSync, ...args: Parameters<typeof original>) {
    // Others, such as those of the index, run at any time.
    if (/review_state|checkpoint|edits/.test(this.sourceSQL)) step()
    return original.apply(this, args)
  } as typeof original
}

interface Job {
  change: string
  folder: string
  data: string
  /** Step at which the process is killed, from 1. Without one it prints the number of steps. */
  killAt?: number
}

/** Runs a change and kills the process in the middle of it. */
async function run({ change, folder, data, killAt: wanted }: Job): Promise<void> {
  countSteps()
  const { createCore } = await import('../../core.ts')
  const core = await createCore(coreOptionsFor(data))
  await core.openWorkspace(folder)
  let calls = 0
  const made: Agent = {
    core,
    async call(name, args, toolset = 'blade') {
      calls += 1
      const about = { callId: `call-${calls}`, toolset, mode: 'yolo', attended: false, signal: never } as const
      const result = await core.executor.call({ ...about, name, arguments: args, turn: 'turn' })
      if (!result.ok) throw new Error(`${name} failed: ${JSON.stringify(result)}`)
      return 'editId' in result.view ? { editId: result.view.editId } : {}
    },
    async command(line) {
      const stop = wanted ?? Number.POSITIVE_INFINITY
      let part = 0
      const parts = line.replaceAll('KILL', () => {
        part += 1
        return part === stop ? 'echo now; sleep 60' : 'true'
      })
      core.subscribe((name, payload) => {
        if (name === 'job.output' && JSON.stringify(payload).includes('now')) process.kill(process.pid, 'SIGKILL')
      })
      steps = part
      return made.call('run_command', { command: parts })
    },
    request: async (name, params) => core.handlers[name](params as never, never),
  }
  const found = killedChanges[change]
  if (!found) throw new Error(`There is no change "${change}".`)
  await found.prepare?.(made)
  steps = 0
  killAt = change.startsWith('run a command') ? killAt : (wanted ?? killAt)
  armed = !change.startsWith('run a command')
  await found.act(made)
  armed = false
  console.log(`steps ${steps}`)
  await core.dispose()
}

if (process.argv[1] === import.meta.filename) await run(JSON.parse(process.argv[2] ?? '') as Job)
