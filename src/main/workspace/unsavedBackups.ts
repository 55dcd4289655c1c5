import { createHash, randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../base/makeFolder.ts'
import { isRunning, thisProcess } from '../base/processIdentity.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { textFormat } from '../../shared/files/textFormat.ts'
import type { BufferState } from './buffers.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { Sequencer } from '../../shared/async/sequencer.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/**
 * Backups of tabs' unsaved text in the user data folder, which survive a killed process. As in VS Code's working copy
 * backups, a backup is one file named after the hash of its path, with a line of JSON followed by the text
 * (microsoft/vscode, workingCopyBackupService.ts).
 *
 * backups/<hash of the workspace>/<session>/<hash of the path>
 *
 * A session folder belongs to one process, so two processes in one workspace never write the same file. Its name
 * contains the process. When that process has exited or left the workspace, the next session takes over the files by
 * renaming.
 */
export interface UnsavedBackups {
  /** Tabs with unsaved text from earlier sessions. */
  readonly restored: readonly BufferState[]
  /** Stores the state of a path, or deletes its backup, within `delayMs`. Call this when the state may have changed. */
  changed(path: string): void
  /** Stores pending changes. */
  flush(): Promise<void>
  /** Stores pending changes and leaves the files to the next session. */
  close(): Promise<void>
}

export interface BackupOptions {
  /** User data folder. */
  userData: string
  /** Real path of the workspace. */
  root: string
  /** Returns the current state of a tab. */
  state(path: string): BufferState | undefined
  onNotice(message: string): void
  /** Milliseconds between a change and its write. */
  delayMs?: number
  limits?: { file: number; total: number }
}

const megabyte = 1024 * 1024
/** Maximum bytes of one backup, and of all backups of a session. */
const defaultLimits = { file: 64 * megabyte, total: 512 * megabyte }
/** Together with the delay of the window's mirror, a backup is less than a second old. */
const defaultDelayMs = 400
/** Write rate for long texts. They are written less often, so their backups can be some seconds old. */
const bytesPerSecond = 8 * megabyte
/** UTF-16 units encoded at a time, so that the main process stays responsive. */
const chunkLength = 1024 * 1024

const headerSchema = z.object({
  version: z.literal(1),
  path: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Size of the text. A truncated file is smaller. */
  bytes: z.number(),
  stamp: z.string().optional(),
  format: textFormat.optional(),
})

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
const releasedPrefix = 'released-'

/**
 * Takes over the backups of earlier sessions and stores new ones. Failures become notices, so the folder always opens.
 */
export async function openUnsavedBackups(options: BackupOptions): Promise<UnsavedBackups> {
  const { userData, root, state, onNotice, delayMs = defaultDelayMs, limits = defaultLimits } = options
  const workspaceFolder = path.join(userData, 'backups', hashOf(root))
  const { pid, start } = thisProcess()
  const suffix = randomBytes(4).toString('hex')
  const own = path.join(workspaceFolder, `${pid}-${start}-${suffix}`)
  const restored = await takeOver(workspaceFolder, own, onNotice).catch((error: unknown) => {
    const { message, next } = toFailure(error)
    onNotice(`Unsaved text from an earlier session could not be restored. ${message} ${next}`)
    return []
  })

  const sizes = new Map(restored.map(({ state: { path: name }, bytes }) => [name, bytes]))
  const pending = new Set<string>()
  /** The path whose text is being written now. */
  let writing: string | undefined
  const flushing = new Delayer(flush)
  const writes = new Sequencer()
  /** Minimum milliseconds until the next write, based on the size of the last one. */
  let pause = 0
  const notified = new Set<string>()
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
    requireSpace(name, length, others, limits)
    const header = {
      version: 1,
      path: name,
      at: Date.now(),
      bytes: length,
      stamp: current.stamp,
      format: current.format,
    }
    await makeFolder(own)
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
    const names = [...pending]
    pending.clear()
    pause = 0
    for (const name of names) {
      writing = name
      try {
        await store(name)
        pause += ((sizes.get(name) ?? 0) / bytesPerSecond) * 1000
        notified.delete(name)
      } catch (error) {
        // One notice per file until a write succeeds.
        if (notified.has(name)) continue
        notified.add(name)
        const { message, next } = toFailure(fileError(error, `The unsaved text of "${name}" could not be backed up.`))
        onNotice(`${message} ${next}`)
      }
    }
    writing = undefined
  }

  function flush(): Promise<void> {
    flushing.cancel()
    return writes.queue(storeWaiting)
  }

  return {
    restored: restored.map((each) => each.state),
    changed(name) {
      if (closed) return
      // Fast path for a clean tab without a backup.
      if (!state(name)?.dirty && !sizes.has(name) && !pending.has(name) && writing !== name) return
      pending.add(name)
      flushing.start(Math.max(delayMs, pause))
    },
    flush,
    async close() {
      closed = true
      await flush()
      try {
        await rmdir(own)
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return
        if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error
        await rename(own, path.join(workspaceFolder, `${releasedPrefix}${suffix}-${Date.now()}`))
      }
    },
  }
}

/** Checks the limits before a write. @throws ToolError `too_large` if one text or all texts together exceed them */
function requireSpace(name: string, length: number, others: number, limits: { file: number; total: number }): void {
  if (length <= limits.file && others + length <= limits.total) return
  throw new ToolError(
    'too_large',
    length > limits.file
      ? `The unsaved text of "${name}" is too large for a backup. It is ${formatSize(length)}, and the limit is ${formatSize(limits.file)}.`
      : `The unsaved text of "${name}" is too large for a backup. The limit for all backups of a folder is ${formatSize(limits.total)}.`,
    'Save the file. A crash would lose its unsaved changes.',
  )
}

/** Writes text in chunks, to limit the work of one encoding step. Chunks do not split surrogate pairs. */
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
  /** Absolute path of the backup. */
  file: string
  at: number
  bytes: number
  state: BufferState
}

/** Moves the newest backup of each path from finished sessions to this session's folder. */
async function takeOver(
  workspaceFolder: string,
  own: string,
  onNotice: (message: string) => void,
): Promise<StoredBackup[]> {
  const backups: StoredBackup[] = []
  for (const session of await namesIn(workspaceFolder)) {
    if (!isOver(session)) continue
    const folder = path.join(workspaceFolder, session)
    for (const name of await namesIn(folder)) {
      const file = path.join(folder, name)
      if (!/^[0-9a-f]{32}$/.test(name)) {
        // The process was killed during this write. The previous backup is complete.
        if (name.endsWith('.tmp')) await rm(file, { force: true })
        continue
      }
      const backup = await readBackup(file)
      if (backup === 'gone') continue
      if (backup === 'broken') {
        await rename(file, `${file}.broken`)
        onNotice(`A backup of unsaved text could not be read. It was kept as ${file}.broken.`)
      } else backups.push(backup)
    }
  }
  const taken = new Map<string, StoredBackup>()
  for (const backup of backups.toSorted((one, other) => other.at - one.at)) {
    // An older text of the same file is left to the next session.
    if (taken.has(backup.state.path)) continue
    await makeFolder(own)
    try {
      await rename(backup.file, path.join(own, hashOf(backup.state.path)))
      taken.set(backup.state.path, backup)
    } catch (error) {
      // Another process that opened the folder at the same time took it.
      if (errorCode(error) !== 'ENOENT') throw fileError(error, 'Backups of unsaved text could not be taken over.')
    }
  }
  for (const session of await namesIn(workspaceFolder))
    if (isOver(session)) await removeIfEmpty(path.join(workspaceFolder, session))
  return [...taken.values()]
}

/** Whether the process of a session folder has exited or left the workspace. False for other folder names. */
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
    throw fileError(error, 'A backup of unsaved text could not be read.')
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
    throw fileError(error, 'Backups of unsaved text could not be listed.')
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    // A later session restores the remaining files.
    if (errorCode(error) === undefined) throw error
  }
}
