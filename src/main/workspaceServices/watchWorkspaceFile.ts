import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Delayer } from '../../shared/async/delayer.ts'
import { toFailure } from '../../shared/errors.ts'
import { log } from '../base/log/log.ts'
import { readEntries, type MultiRoot } from '../workspace/multiRoot.ts'

/** Milliseconds after a change of the file. Editors write it in several steps. */
const settleTime = 200

interface WorkspaceFileListener {
  /** The user or another program has changed the list of folders. */
  onFolders(): void
  /** The rest of the file may have changed. */
  onSettings(): void
  /** The file cannot be read as a workspace. Called once for each reason. */
  onProblem(message: string): void
  /** Runs a check after the changes of folders that this window makes. */
  queue(check: () => Promise<void>): Promise<void>
}

/** Watches the file of a multi-root workspace. @returns a function that ends it */
export function watchWorkspaceFile(
  { file, entries }: Pick<MultiRoot, 'file' | 'entries'>,
  { onFolders, onSettings, onProblem, queue }: WorkspaceFileListener,
): () => void {
  let reported = ''
  let isStopped = false

  async function check(): Promise<void> {
    if (isStopped) return
    try {
      const now = await readEntries(file)
      reported = ''
      if (isStopped) return
      if (isDeepStrictEqual(now, entries)) onSettings()
      else onFolders()
    } catch (error) {
      const { message, next } = toFailure(error)
      if (message !== reported && !isStopped) onProblem(`${message} The folders stay as they are. ${next}`)
      reported = message
    }
  }

  const checking = new Delayer(
    () => void queue(check).catch((error: unknown) => log.error('A workspace file could not be checked', error)),
    settleTime,
  )
  try {
    // Watches the folder, because each write can replace the file.
    const watcher = watch(dirname(file), { persistent: false }, (_kind, changed) => {
      if (changed === basename(file)) checking.restart()
    })
    watcher.on('error', (error) => log.warn(`${file} is not watched. ${toFailure(error).message}`))
    return () => {
      isStopped = true
      checking.cancel()
      watcher.close()
    }
  } catch (error) {
    // Some file systems do not support watching. The changes apply when the workspace is opened again.
    log.warn(`${file} is not watched. ${toFailure(error).message}`)
    return () => undefined
  }
}
