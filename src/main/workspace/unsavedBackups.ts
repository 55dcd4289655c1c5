import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { isRunning, thisProcess } from '../base/processIdentity.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { textFormat } from '../../shared/protocol.ts'
import type { BufferState } from './buffers.ts'
import { errorCode, fileError } from './fileErrors.ts'
import { formatSize } from '../../shared/formatSize.ts'
import { Sequencer } from '../../shared/sequencer.ts'

/**
 * Unsaved text of tabs, kept in the user's data folder so that a killed process does not lose it. As in VS Code's
 * working copy backups, a backup is one file, named after the hash of its path: a line of JSON, then the text
 * (microsoft/vscode, workingCopyBackupService.ts).
 *
 *   backups/<hash of the workspace>/<session>/<hash of the path>
 *
 * A session's folder belongs to one process, so two processes on one workspace never write the same file. Its name
 * holds that process; once it is gone, or has left the workspace, the next session takes the files over by renaming.
 */
export interface UnsavedBackups {
  /** What earlier sessions left: tabs to open with unsaved text. */
  readonly restored: readonly BufferState[]
  /** The state of a path may be another one. It is stored, or its backup removed, within `delayMs`. */
  changed(path: string): void
  /** Stores what waits and leaves the files to the next session. */
  close(): Promise<void>
}

export interface BackupOptions {
  /** The user's data folder. */
  userData: string
  /** Real path of the workspace. */
  root: string
  /** The present state of a tab. */
  state(path: string): BufferState | undefined
  onNotice(message: string): void
  /** Milliseconds between a change and its writing. */
  delayMs?: number
  limits?: { file: number; total: number }
}

const megabyte = 1024 * 1024
/** Bytes of one backup, and of all backups of one session. */
const defaultLimits = { file: 64 * megabyte, total: 512 * megabyte }
/** With the delay of the window's mirror a backup is less than a second old. */
const defaultDelayMs = 400
/** Long texts are written less often, so that typing in 50 MB does not write them twice a second: such a backup is some seconds old. */
const bytesPerSecond = 8 * megabyte
/** UTF-16 units that are encoded at once: more would hold up the main process. */
const chunkLength = 1024 * 1024

const headerSchema = z.object({
  version: z.literal(1),
  path: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Of the text. A file that was cut off has fewer. */
  bytes: z.number(),
  stamp: z.string().optional(),
  format: textFormat.optional(),
})

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
const releasedPrefix = 'released-'

/** Takes over what earlier sessions left of a workspace, and stores from then on. Failures become notices: the folder opens anyway. */
export async function openUnsavedBackups(options: BackupOptions): Promise<UnsavedBackups> {
  const { userData, root, state, onNotice, delayMs = defaultDelayMs, limits = defaultLimits } = options
  const place = path.join(userData, 'backups', hashOf(root))
  const { pid, start } = thisProcess()
  const suffix = randomBytes(4).toString('hex')
  const own = path.join(place, `${pid}-${start}-${suffix}`)
  const restored = await takeOver(place, own, onNotice).catch((error: unknown) => {
    const { message, next } = toFailure(error)
    onNotice(`Unsaved text of an earlier session was not restored. ${message} ${next}`)
    return []
  })

  const sizes = new Map(restored.map(({ state: { path: name }, bytes }) => [name, bytes]))
  const waiting = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const writes = new Sequencer()
  /** Milliseconds in which nothing is written, for what the last writing wrote. */
  let pause = 0
  const complained = new Set<string>()
  let closed = false

  async function store(name: string): Promise<void> {
    const current = state(name)
    const file = path.join(own, hashOf(name))
    if (!current?.dirty || current.text === null) {
      if (sizes.delete(name)) await rm(file, { force: true })
      return
    }
    const { text } = current
    const length = Buffer.byteLength(text)
    const others = [...sizes].reduce((sum, [other, bytes]) => (other === name ? sum : sum + bytes), 0)
    if (length > limits.file || others + length > limits.total) {
      const why =
        length > limits.file
          ? `it has ${formatSize(length)}, and backups have at most ${formatSize(limits.file)}`
          : `backups of one folder have at most ${formatSize(limits.total)} together`
      throw new ToolError(
        'too_large',
        `The unsaved text of "${name}" is too large for a backup: ${why}.`,
        'Save the file: a crash would lose what is unsaved in it.',
      )
    }
    const header = {
      version: 1,
      path: name,
      at: Date.now(),
      bytes: length,
      stamp: current.stamp,
      format: current.format,
    }
    await mkdir(own, { recursive: true, mode: 0o700 })
    const temporary = `${file}.tmp`
    try {
      await writeInChunks(temporary, `${JSON.stringify(header)}\n`, text)
      await rename(temporary, file)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    sizes.set(name, length)
  }

  async function storeWaiting(): Promise<void> {
    const names = [...waiting]
    waiting.clear()
    pause = 0
    for (const name of names) {
      try {
        await store(name)
        pause += ((sizes.get(name) ?? 0) / bytesPerSecond) * 1000
        complained.delete(name)
      } catch (error) {
        // Said once for a file, until storing it works again.
        if (complained.has(name)) continue
        complained.add(name)
        const { message, next } = toFailure(fileError(error, `keep a backup of the unsaved text of "${name}"`))
        onNotice(`${message} ${next}`)
      }
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    return writes.queue(storeWaiting)
  }

  return {
    restored: restored.map((each) => each.state),
    changed(name) {
      if (closed) return
      // A clean tab without a backup is the common case, and nothing to do.
      if (!state(name)?.dirty && !sizes.has(name) && !waiting.has(name)) return
      waiting.add(name)
      timer ??= setTimeout(() => void flush(), Math.max(delayMs, pause))
    },
    async close() {
      closed = true
      await flush()
      try {
        await rmdir(own)
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return
        if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error
        await rename(own, path.join(place, `${releasedPrefix}${suffix}-${Date.now()}`))
      }
    },
  }
}

/** Writes a text without encoding all of it at once. Half a surrogate pair at an end stays with its other half. */
async function writeInChunks(file: string, header: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(header)
    for (let start = 0; start < text.length;) {
      let end = Math.min(text.length, start + chunkLength)
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
      await handle.writeFile(text.slice(start, end))
      start = end
    }
  } finally {
    await handle.close()
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

interface StoredBackup {
  /** Absolute. */
  file: string
  at: number
  bytes: number
  state: BufferState
}

/** Moves the newest backup of each path, of sessions that are over, into the folder of this one. */
async function takeOver(place: string, own: string, onNotice: (message: string) => void): Promise<StoredBackup[]> {
  const left: StoredBackup[] = []
  for (const session of await namesIn(place)) {
    if (!isOver(session)) continue
    const folder = path.join(place, session)
    for (const name of await namesIn(folder)) {
      const file = path.join(folder, name)
      if (!/^[0-9a-f]{32}$/.test(name)) {
        // Half written when its process was killed; the backup before it is whole.
        if (name.endsWith('.tmp')) await rm(file, { force: true })
        continue
      }
      const backup = await readBackup(file)
      if (backup === 'gone') continue
      if (backup === 'broken') {
        await rename(file, `${file}.broken`)
        onNotice(`A backup of unsaved text could not be read. It was kept as ${file}.broken.`)
      } else left.push(backup)
    }
  }
  const taken = new Map<string, StoredBackup>()
  for (const backup of left.toSorted((one, other) => other.at - one.at)) {
    // An older text of the same file stays where it is. The next session offers it.
    if (taken.has(backup.state.path)) continue
    await mkdir(own, { recursive: true, mode: 0o700 })
    try {
      await rename(backup.file, path.join(own, hashOf(backup.state.path)))
      taken.set(backup.state.path, backup)
    } catch (error) {
      // Another process that opened the folder at this moment took it.
      if (errorCode(error) !== 'ENOENT') throw fileError(error, 'take over backups of unsaved text')
    }
  }
  for (const session of await namesIn(place)) if (isOver(session)) await removeIfEmpty(path.join(place, session))
  return [...taken.values()]
}

/** Whether the process of a session's folder has ended or left the workspace. A name of another form is nobody's. */
function isOver(session: string): boolean {
  if (session.startsWith(releasedPrefix)) return true
  const [, pid, start] = /^(\d+)-(\d*)-[0-9a-f]{8}$/.exec(session) ?? []
  return pid !== undefined && start !== undefined && !isRunning({ pid: Number(pid), start })
}

async function readBackup(file: string): Promise<StoredBackup | 'gone' | 'broken'> {
  let content: Buffer
  try {
    if ((await stat(file)).size > defaultLimits.file + megabyte) return 'broken'
    content = await readFile(file)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'gone'
    throw fileError(error, 'read a backup of unsaved text')
  }
  const end = content.indexOf('\n')
  const text = content.subarray(end + 1)
  try {
    const {
      path: name,
      at,
      bytes,
      stamp,
      format,
    } = headerSchema.parse(JSON.parse(content.toString('utf8', 0, Math.max(end, 0))))
    if (bytes !== text.length || hashOf(name) !== path.basename(file)) return 'broken'
    return { file, at, bytes, state: { path: name, dirty: true, text: text.toString('utf8'), stamp, format } }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 'broken'
    throw error
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    throw fileError(error, 'look for backups of unsaved text')
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    // What is left in it is offered by a later session.
    if (errorCode(error) === undefined) throw error
  }
}
