import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { call, say, step, type Scenario } from '../../model/scripted/scenario.ts'

// A turn in a separate process that is killed, and the state that may remain.

export const hosts = ['headless', 'browser'] as const
export type KilledHost = (typeof hosts)[number]

const main = fileURLToPath(new URL('../../', import.meta.url))
const long = (word: string): string => `${word} `.repeat(5_000)

/** Files before the turn. */
export const original: Readonly<Record<string, string>> = {
  'a.txt': long('old'),
  'b.txt': 'b\n',
  'c.txt': 'c\n',
  'd.txt': 'd\n',
  'keep/k.txt': 'k\n',
  ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`many/${index}.txt`, `${index}\n`])),
}

/** Texts that the turn writes, by file. */
const written: Readonly<Record<string, readonly string[]>> = {
  'a.txt': [long('new'), `${long('new')}end\n`],
  'new/deep/n.txt': ['n\n'],
  'new/p.txt': ['p\n'],
  'moved/c.txt': ['c\n'],
  'made/d.txt': ['d\n'],
  'made/e.txt': [''],
}
/** Files that the turn deletes or moves. */
const removed = new Set(['b.txt', 'c.txt', 'd.txt'])

/** @param mark in the command line of a command that outlives the turn */
export function busyTurn(mark: string): Scenario {
  const patch = ['*** Begin Patch', '*** Add File: new/p.txt', '+p', '*** End Patch'].join('\n')
  return {
    name: 'killed',
    contextWindow: 131_072,
    turns: [
      // A note follows if the killed call had changed a file that the conversation read.
      { prompt: /next(?:\s*\[Changed since [^\]]*\])?$/, steps: [step('ends', say('Fine.'))] },
      {
        prompt: /^go/,
        steps: [
          step('reads', say('I look. '), call('read_file', { path: 'b.txt' }), call('list_dir', { path: '.' })),
          step('writes', call('write_file', { path: 'a.txt', content: long('new') })),
          step('creates', call('write_file', { path: 'new/deep/n.txt', content: 'n\n' })),
          step('deletes', call('delete_file', { path: 'b.txt' })),
          step(
            'moves',
            call('create_directory', { path: 'moved' }),
            call('move_file', { source: 'c.txt', destination: 'moved/c.txt' }),
          ),
          step('patches', call('apply_patch', { path: 'new/p.txt', patch })),
          step(
            'runs',
            call('run_command', { command: 'mkdir made && mv d.txt made/d.txt && touch made/e.txt && echo done' }),
          ),
          step('writes again', call('write_file', { path: 'a.txt', content: `${long('new')}end\n` })),
          step('hangs', call('run_command', { command: `echo begun; sleep ${mark}; echo ended` })),
        ],
      },
    ],
  }
}

/** Starts a host that runs the turn. Its descendants have `mark` in their environment or command line. */
export function startHost(
  host: KilledHost,
  { folder, data, url, mark }: { folder: string; data: string; url: string; mark: string },
): ChildProcess {
  const env = { ...process.env, TIZONA_USER_DATA: data, TIZONA_NO_DISCOVERY: '1', TIZONA_FAULT_MARK: mark }
  const options = { env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] }
  if (host === 'headless') {
    const args = [
      'run',
      'go',
      '--workspace',
      folder,
      '--endpoint',
      url,
      '--model',
      'scripted',
      '--kind',
      'openai',
      '--mode',
      'yolo',
    ]
    return spawn(process.execPath, ['--no-warnings', path.join(main, 'headless.ts'), ...args], options)
  }
  const module = (name: string) => JSON.stringify(pathToFileURL(path.join(main, name)).href)
  const script = `
    const { createCore } = await import(${module('core.ts')})
    const { startBrowserHost } = await import(${module('hosts/browser/browserServer.ts')})
    const { tinyWindow } = await import(${module('hosts/testing/wires.ts')})
    const core = await createCore(${JSON.stringify(coreOptions('browser', data, url))})
    core.subscribe((name, payload) => console.log(name + ' ' + JSON.stringify(payload)))
    await startBrowserHost({ core, assets: (await tinyWindow()).folder })
    await core.openWorkspace(${JSON.stringify(folder)})
    const never = new AbortController().signal
    await core.handlers['trust.decide']({ choice: 'folder' }, never)
    const { info } = await core.handlers['conversations.create']({}, never)
    await core.handlers['conversations.send']({ id: info.id, text: 'go' }, never)`
  return spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], options)
}

/** Options of a core on the data that the killed host left. The endpoint has the id of the headless host's. */
export function coreOptions(host: 'headless' | 'browser', userData: string, url: string) {
  return {
    platform: { host, version: 'test', userData, resources: path.join(main, '../../resources') },
    settings: {
      endpoints: [{ id: 'command-line', name: 'E', kind: 'openai' as const, baseUrl: url, hasKey: false }],
      model: { endpointId: 'command-line', model: 'scripted' },
      mode: 'yolo' as const,
    },
  }
}

/** Kills a host after some milliseconds, or when its command hangs if that is sooner. */
export async function killAfter(child: ChildProcess, milliseconds: number): Promise<void> {
  const closed = once(child, 'close')
  const kill = () => void child.kill('SIGKILL')
  const timer = setTimeout(kill, milliseconds)
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (/begun\\[rn]|"begun/.test(printed)) kill()
    })
  await closed
  clearTimeout(timer)
  if (child.signalCode !== 'SIGKILL') throw new Error(`The host ended by itself: ${printed.slice(-2_000)}`)
}

/** Returns all files with their contents. */
export async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [path.relative(folder, file), await readFile(file, 'utf8')] as const)),
  )
}

/**
 * Returns problems of the files after a killed turn: texts that are neither old nor new, and missing or unknown files.
 */
export function fileProblems(files: Readonly<Record<string, string>>): string[] {
  const wrong = Object.entries(files).flatMap(([name, text]) => {
    const versions = [...(name in original ? [original[name]] : []), ...(written[name] ?? [])]
    if (versions.length === 0) return [`${name} is litter`]
    return versions.includes(text) ? [] : [`${name} is neither old nor new: ${text.length} characters`]
  })
  const missing = Object.keys(original).filter((name) => !(name in files) && !removed.has(name))
  return [...wrong, ...missing.map((name) => `${name} is missing`)]
}

/** Returns the running processes that have the mark in their environment or command line. */
export async function processesWith(mark: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [environment, line] = await Promise.all([
          readFile(`/proc/${pid}/environ`, 'latin1'),
          readFile(`/proc/${pid}/cmdline`, 'latin1'),
        ])
        // Fails for a zombie, which only waits for its parent.
        await readlink(`/proc/${pid}/exe`)
        return (environment + line).includes(mark) ? [`${pid} ${line.replaceAll('\0', ' ').slice(0, 200)}`] : []
      } catch {
        return []
      }
    }),
  )
  return found.flat()
}
