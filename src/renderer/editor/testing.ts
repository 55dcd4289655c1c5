import { ToolError } from '../../shared/errors.ts'
import type { OpenedFile } from '../../shared/files.ts'
import type { Bridge } from '../bridge.ts'
import type { TextBuffer } from './buffer.ts'
import { createDocuments } from './documents.ts'

// Helpers for tests of the editor: a disk behind the bridge, and buffers without Monaco.

/** A buffer with one undo step a change, as Monaco's model has. */
export interface PlainBuffer extends TextBuffer {
  type(text: string): void
  undo(): void
}

export function plainBuffer(text: string): PlainBuffer {
  let states = [{ text, version: 1 }]
  let nextVersion = 2
  const listeners = new Set<() => void>()
  const current = () => states.at(-1) ?? { text, version: 1 }
  const tell = () => listeners.forEach((listener) => listener())
  const buffer: PlainBuffer = {
    text: () => current().text,
    version: () => current().version,
    replace(newText) {
      if (newText === current().text) return
      states = [...states, { text: newText, version: nextVersion++ }]
      tell()
    },
    type: (newText) => buffer.replace(newText),
    undo() {
      states = states.slice(0, -1)
      tell()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dispose: () => listeners.clear(),
  }
  return buffer
}

interface DiskFile {
  text: string
  stamp: number
  eol?: '\n' | '\r\n'
}

/** Documents over a disk in memory. `synced` holds what main was told of each buffer last. */
export function documentsOnDisk(files: Record<string, string>) {
  let stamp = 1
  const disk = new Map<string, DiskFile>(Object.entries(files).map(([path, text]) => [path, { text, stamp: stamp++ }]))
  const synced = new Map<string, { open: boolean; dirty: boolean; text: string | null }>()
  const buffers = new Map<string, PlainBuffer>()

  function read(path: string): OpenedFile {
    const file = disk.get(path)
    if (!file) throw new ToolError('not_found', `${path} is not there.`, 'Look again.')
    return { path, text: file.text, format: { encoding: 'utf8', eol: file.eol ?? '\n' }, stamp: String(file.stamp), readonly: false }
  }

  interface WriteParams {
    path: string
    text: string
    format: OpenedFile['format']
    stamp?: string
    force?: boolean
  }
  const answers: Record<string, (params: never) => unknown> = {
    'files.read': ({ path }: { path: string }) => read(path),
    'files.write': ({ path, text, format, stamp: seen, force }: WriteParams) => {
      const file = disk.get(path)
      if (!force && file && String(file.stamp) !== seen) throw new ToolError('changed_on_disk', `${path} has changed.`, 'Compare.')
      disk.set(path, { text, stamp: stamp++, eol: format.eol })
      return { stamp: String(stamp - 1) }
    },
    'buffers.sync': ({ path, ...state }: { path: string; open: boolean; dirty: boolean; text: string | null }) =>
      void synced.set(path, state),
  }
  // Answers by name, as main does; an unknown name is a test that asks too much.
  const request = (async (name: string, params: unknown) => {
    const answer = answers[name]
    if (!answer) throw new Error(`This test's main does not answer ${name}.`)
    return answer(params as never)
  }) as unknown as Bridge['request']

  const documents = createDocuments({
    request,
    syncDelay: 0,
    createBuffer: async ({ path, text }) => {
      const buffer = plainBuffer(text)
      buffers.set(path, buffer)
      return buffer
    },
  })

  return {
    documents,
    disk,
    synced,
    /** Types into an open file. */
    buffer(path: string): PlainBuffer {
      const buffer = buffers.get(path)
      if (!buffer) throw new Error(`${path} is not open.`)
      return buffer
    },
    /** A file gets another name; its stamp stays, as on a real disk. */
    move(from: string, to: string): void {
      const file = disk.get(from)
      if (!file) throw new Error(`${from} is not on the disk.`)
      disk.delete(from)
      disk.set(to, file)
    },
    /** Another program writes. */
    write(path: string, text: string): void {
      disk.set(path, { text, stamp: stamp++ })
    },
  }
}
