import { ToolError, toFailure } from '../../../../shared/errors.ts'
import { changedSpan } from '../../../../shared/editor/changedSpan.ts'
import type { FileOutcome, OpenedFile } from '../../../../shared/files/files.ts'
import { applyTextChanges, type TextChange } from '../../../../shared/editor/textChanges.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import type { TextBuffer } from '../documents/textBuffer.ts'
import type { MirroredBuffer } from '../documents/bufferMirror.ts'
import { createDocuments, type DocumentsOptions } from '../documents/tabDocuments.ts'

// Helpers for tests of the editor: a disk behind the bridge, and buffers without Monaco.

/** A buffer with one undo step per change, like Monaco's model. */
export interface PlainBuffer extends TextBuffer {
  type(text: string): void
  /** Takes over the undo steps of another buffer. */
  continue(states: readonly PlainState[], nextVersion: number): void
}

interface PlainState {
  text: string
  version: number
}

/** Creates a text buffer without Monaco. @param created receives the buffers that it is moved to */
export function plainBuffer(text: string, created?: (path: string, buffer: PlainBuffer) => void): PlainBuffer {
  let states: PlainState[] = [{ text, version: 1 }]
  let undone: PlainState[] = []
  let nextVersion = 2
  const listeners = new Set<(changes: readonly TextChange[] | null) => void>()
  const undoListeners = new Set<() => void>()
  const current = () => states.at(-1) ?? { text, version: 1 }
  const notify = (before: string, after: string) => {
    const { start, oldEnd, newEnd } = changedSpan(before, after)
    listeners.forEach((listener) =>
      listener([{ offset: start, length: oldEnd - start, text: after.slice(start, newEnd) }]),
    )
  }
  const buffer: PlainBuffer = {
    text: () => current().text,
    language: () => 'plaintext',
    version: () => current().version,
    length: () => current().text.length,
    replace(newText) {
      if (newText === current().text) return
      const before = current().text
      states = [...states, { text: newText, version: nextVersion++ }]
      notify(before, newText)
    },
    type: (newText) => buffer.replace(newText),
    edit(changes) {
      const newText = applyTextChanges(current().text, changes)
      if (newText === null) throw new Error('A change is out of range.')
      buffer.replace(newText)
      undone = []
    },
    redo() {
      const state = undone.pop()
      if (state === undefined) return
      const before = current().text
      states = [...states, state]
      notify(before, state.text)
    },
    undo() {
      const before = current().text
      if (states.length === 1) return
      undone.push(current())
      states = states.slice(0, -1)
      notify(before, current().text)
      undoListeners.forEach((listener) => listener())
    },
    onUndo(listener) {
      undoListeners.add(listener)
      return () => undoListeners.delete(listener)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    moveTo(path) {
      const moved = plainBuffer('', created)
      moved.continue(states, nextVersion)
      created?.(path, moved)
      return moved
    },
    continue(before, next) {
      states = [...before]
      nextVersion = next
    },
    dispose: () => listeners.clear(),
  }
  return buffer
}

interface DiskFile {
  text: string
  stamp: number
  eol?: '\n' | '\r\n' | undefined
}

/** Runs `work` for one file of a batch, as main does. */
export function outcomeOf<T>(work: () => T): FileOutcome<T> {
  try {
    return { ok: true, file: work() }
  } catch (error) {
    return { ok: false, error: toFailure(error) }
  }
}

/** Creates documents on a disk in memory. `synced` has the state of each buffer that main received last. */
export function documentsOnDisk(files: Record<string, string>, { eolOf }: Pick<DocumentsOptions, 'eolOf'> = {}) {
  let stamp = 1
  const disk = new Map<string, DiskFile>(Object.entries(files).map(([path, text]) => [path, { text, stamp: stamp++ }]))
  const synced = new Map<string, MirroredBuffer>()
  const syncMessages: (MirroredBuffer & { path: string })[] = []
  const buffers = new Map<string, PlainBuffer>()
  const versions = new Map<string, number>()
  /** Texts of tabs that the local history received. */
  const replaced: [path: string, text: string][] = []

  /** Targets of links. */
  const links = new Map<string, string>()
  const realPaths: [path: string, real: string][] = []

  function read(requested: string): OpenedFile {
    const path = links.get(requested) ?? requested
    const file = disk.get(path)
    if (!file) throw new ToolError('not_found', `${path} does not exist.`, 'Check the path.')
    return {
      path,
      text: file.text,
      format: { encoding: 'utf8', eol: file.eol ?? '\n' },
      stamp: String(file.stamp),
      readonly: false,
    }
  }

  interface EditParams {
    path: string
    base: number
    version: number
    changes: TextChange[]
    length: number
  }
  interface WriteParams {
    path: string
    text: string
    format: OpenedFile['format']
    stamp?: string
    force?: boolean
  }
  function writeFile({ path: requested, text, format, stamp: seen, force }: WriteParams): { stamp: string } {
    const path = links.get(requested) ?? requested
    const file = disk.get(path)
    if (!force && file?.stamp !== (seen === undefined ? undefined : Number(seen)))
      throw new ToolError('changed_on_disk', `${path} has changed.`, 'Compare.')
    disk.set(path, { text, stamp: stamp++, eol: format.eol })
    return { stamp: String(stamp - 1) }
  }
  const answers: Record<string, (params: never) => unknown> = {
    'files.read': ({ path }: { path: string }) => read(path),
    'files.write': writeFile,
    'files.readBatch': ({ paths }: { paths: string[] }) => paths.map((path) => outcomeOf(() => read(path))),
    'files.writeBatch': ({ files: batch }: { files: WriteParams[] }) =>
      batch.map((file) => outcomeOf(() => writeFile(file))),
    'localHistory.replacedOnDisk': ({ path, text }: { path: string; text: string }) => replaced.push([path, text]),
    'buffers.sync': ({ path, version, ...state }: MirroredBuffer & { path: string; version: number }) => {
      versions.set(path, version)
      syncMessages.push({ path, ...state })
      synced.set(path, { open: state.open, dirty: state.dirty, text: state.text })
    },
    'buffers.edit': ({ path, base, version, changes, length }: EditParams) => {
      const before = synced.get(path)?.text
      const text = typeof before === 'string' && versions.get(path) === base ? applyTextChanges(before, changes) : null
      if (text?.length !== length) return false
      versions.set(path, version)
      synced.set(path, { open: true, dirty: true, text })
      return true
    },
  }
  // Fail for requests that the fake does not implement.
  const request = (async (name: string, params: unknown) => {
    const answer = answers[name]
    if (!answer) throw new Error(`This test's main does not answer ${name}.`)
    return answer(params as never)
  }) as unknown as Bridge['request']

  const documents = createDocuments({
    request,
    onRealPath: (path, real) => void realPaths.push([path, real]),
    syncDelay: 0,
    ...(eolOf && { eolOf }),
    createBuffer: async ({ path, text }) => {
      const buffer = plainBuffer(text, (moved, moving) => void buffers.set(moved, moving))
      buffers.set(path, buffer)
      return buffer
    },
  })

  return {
    documents,
    request,
    disk,
    links,
    /** Files that were opened through a link, with their real paths. */
    realPaths,
    replaced,
    synced,
    /** All `buffers.sync` messages in order. */
    syncMessages,
    /** Returns the buffer of an open file. */
    buffer(path: string): PlainBuffer {
      const buffer = buffers.get(path)
      if (!buffer) throw new Error(`${path} is not open.`)
      return buffer
    },
    /** Renames a file. Its stamp does not change, as on a real disk. */
    move(from: string, to: string): void {
      const file = disk.get(from)
      if (!file) throw new Error(`${from} is not on the disk.`)
      disk.delete(from)
      disk.set(to, file)
    },
    /** Writes a file as another program would. */
    write(path: string, text: string, eol?: '\n' | '\r\n'): void {
      disk.set(path, { text, stamp: stamp++, eol })
    },
  }
}
