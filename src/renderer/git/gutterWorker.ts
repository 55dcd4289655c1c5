import { lineHunks, type LineHunk } from '../../shared/diff/lineHunks.ts'
import { applyLineEdits, type LineEdit } from './applyLineEdits.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Messages to the worker that compares open files with HEAD and the index. `id`: the compared file. */
export type GutterRequest =
  | { kind: 'open'; id: number; version: number; text: string; head: string | null; index: string | null }
  /** HEAD or the index has changed. */
  | { kind: 'base'; id: number; head: string | null; index: string | null }
  | { kind: 'change'; id: number; version: number; edits: readonly LineEdit[] }
  | { kind: 'close'; id: number }

export interface GutterResponse {
  id: number
  /** Version of the compared text. */
  version: number
  /** Hunks against HEAD and the index. */
  head: LineHunk[]
  index: LineHunk[]
  /** Whether a change did not fit, so that the worker needs the whole text again. */
  lost: boolean
}

interface Compared {
  version: number
  lines: string[]
  head: string[] | null
  index: string[] | null
  comparing: Delayer
}

/** Milliseconds without a change before a text is compared. */
const settleMs = 120

const compared = new Map<number, Compared>()

const linesOf = (text: string | null): string[] | null => (text === null ? null : text.split('\n'))

function answer(message: GutterResponse): void {
  postMessage(message)
}

function compare(id: number): void {
  const entry = compared.get(id)
  if (!entry) return
  const { lines } = entry
  const head = entry.head === null ? [] : lineHunks(entry.head, lines)
  const index = entry.index === null ? [] : entry.index === entry.head ? head : lineHunks(entry.index, lines)
  answer({ id, version: entry.version, head, index, lost: false })
}

addEventListener('message', ({ data }: MessageEvent<GutterRequest>) => {
  const entry = compared.get(data.id)
  if (data.kind === 'open') {
    const { id, version, text } = data
    entry?.comparing.cancel()
    const head = linesOf(data.head)
    const index = data.index === data.head ? head : linesOf(data.index)
    const comparing = new Delayer(() => compare(id))
    compared.set(id, { version, lines: text.split('\n'), head, index, comparing })
    comparing.start()
  } else if (data.kind === 'close') {
    entry?.comparing.cancel()
    compared.delete(data.id)
  } else if (!entry) {
    // The file was closed in the meantime.
  } else if (data.kind === 'base') {
    entry.head = linesOf(data.head)
    entry.index = data.index === data.head ? entry.head : linesOf(data.index)
    entry.comparing.restart()
  } else {
    if (!applyLineEdits(entry.lines, data.edits))
      return answer({ id: data.id, version: data.version, head: [], index: [], lost: true })
    entry.version = data.version
    entry.comparing.restart(settleMs)
  }
})
