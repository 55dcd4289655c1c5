import path from 'node:path'
import { absoluteOfOutside, isOutsideFile } from '../../shared/files/outsideFiles.ts'
import { Delayer } from '../../shared/async/delayer.ts'
import { log } from '../base/log/log.ts'
import type { Buffers } from './buffers.ts'

/** Maximum number of watched files. Changes of further ones are noticed when they are saved. */
const maxWatched = 200

/** Milliseconds in which changes are reported together. A program that writes a file often empties it first. */
const settleTime = 75

/**
 * Watches the files outside the folder that are open in tabs.
 * @param changed receives the paths of tabs
 * @returns a function that stops watching
 */
export function watchOutsideFiles(
  buffers: Pick<Buffers, 'get' | 'list' | 'onChanged'>,
  changed: (paths: string[]) => void,
): () => Promise<void> {
  const waiting = new Set<string>()
  const settle = new Delayer(() => {
    const paths = [...waiting]
    waiting.clear()
    if (paths.length > 0) changed(paths)
  }, settleTime)
  /** Functions that stop watching a file, by path of its tab. */
  const watched = new Map<string, () => Promise<void>>()

  function start(name: string): void {
    const absolute = absoluteOfOutside(name)
    if (watched.size < maxWatched && path.isAbsolute(absolute))
      watched.set(
        name,
        watchFile(absolute, () => {
          waiting.add(name)
          settle.start()
        }),
      )
  }

  function update(name: string): void {
    if (!isOutsideFile(name)) return
    const stop = watched.get(name)
    const isOpen = buffers.get(name) !== undefined
    if (isOpen === (stop !== undefined)) return
    if (!stop) return start(name)
    watched.delete(name)
    waiting.delete(name)
    void stop()
    // Another file may have been beyond the maximum.
    for (const { path: other } of buffers.list()) if (isOutsideFile(other) && !watched.has(other)) start(other)
  }

  const stopListening = buffers.onChanged(update)
  for (const { path: name } of buffers.list()) update(name)
  return async () => {
    stopListening()
    settle.cancel()
    await Promise.all(Array.from(watched.values(), (stop) => stop()))
  }
}

/** Watches a file, also if it does not exist (yet). @returns a function that stops watching, and never rejects */
function watchFile(absolute: string, changed: () => void): () => Promise<void> {
  let isStopped = false
  async function start() {
    // Most windows have no file outside their folder.
    const { watch } = await import('chokidar')
    if (isStopped) return undefined
    // One watcher for each file: chokidar then waits for a deleted one to come back.
    const watcher = watch(absolute, { ignoreInitial: true, ignorePermissionErrors: true, atomic: false, depth: 0 })
    watcher.on('all', changed)
    // It can have changed since the tab read it.
    watcher.once('ready', changed)
    watcher.on('error', (error) => log.warn('A file outside the folder is not watched', error))
    return watcher
  }
  const started = start()
  started.catch((error: unknown) => log.warn('A file outside the folder is not watched', error))
  return async () => {
    isStopped = true
    await started
      .then((watcher) => watcher?.close())
      .catch((error: unknown) => log.warn('A file outside the folder is still watched', error))
  }
}
