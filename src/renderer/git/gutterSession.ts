import gutterWorkerUrl from './gutterWorker.ts?worker&url'
import type { GitFileVersion, GitRepository } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { startWorker } from '../platform/editor/monaco/monacoWorkers.ts'
import { repositoryOf, useGit } from '../platform/git/gitStore.ts'
import type { GutterResponse, GutterRequest } from './gutterWorker.ts'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import { once } from '../../shared/async/once.ts'

const listeners = new Map<number, (answer: GutterResponse) => void>()

function send(message: GutterRequest): void {
  worker().postMessage(message)
}

const worker = once((): Worker => {
  const created = startWorker(gutterWorkerUrl, 'gitGutter')
  created.addEventListener('message', ({ data }: MessageEvent<GutterResponse>) => listeners.get(data.id)?.(data))
  return created
})

/** Differences of an open file's text from HEAD and the index. */
export interface FileHunks {
  head: readonly LineHunk[]
  index: readonly LineHunk[]
}

const none: FileHunks = { head: [], index: [] }

/**
 * Compares an open file's text with HEAD and the index in a worker, after each pause in typing. Sends the whole text
 * once and then only changes, so that typing in a large file does not slow down the window.
 */
export class GutterSession {
  readonly repository: GitRepository
  /** Path in the repository. */
  readonly path: string
  hunks: FileHunks = none
  /** Texts at HEAD and in the index; null if the file is not text there. */
  head: string | null = null
  index: string | null = null
  static #nextId = 1
  readonly #id = GutterSession.#nextId++
  readonly #model: monaco.editor.ITextModel
  readonly #onHunks: () => void
  readonly #stops: (() => void)[] = []
  #version = 0
  #answeredVersion = -1
  #revision: string | undefined
  /** Whether the texts at HEAD and in the index are loading. */
  #reading = false
  #disposed = false
  #waiting: (() => void)[] = []

  private constructor(
    model: monaco.editor.ITextModel,
    file: { repository: GitRepository; path: string },
    onHunks: () => void,
  ) {
    this.#model = model
    this.repository = file.repository
    this.path = file.path
    this.#onHunks = onHunks
    listeners.set(this.#id, (answer) => this.#receive(answer))
    const subscription = model.onDidChangeContent(({ changes, isFlush, isEolChange }) => {
      this.#version += 1
      if (this.head === null && this.index === null) return
      if (isFlush || isEolChange) this.#open()
      else
        send({
          kind: 'change',
          id: this.#id,
          version: this.#version,
          // Monaco sorts the changes from the end of the text to its start, so their ranges stay valid.
          edits: changes.map(({ range, text }) => ({
            startLine: range.startLineNumber,
            startColumn: range.startColumn,
            endLine: range.endLineNumber,
            endColumn: range.endColumn,
            text,
          })),
        })
    })
    this.#stops.push(
      () => subscription.dispose(),
      useGit.subscribe(() => void this.#readBases()),
    )
    void this.#readBases()
  }

  /** Starts a session for a file in a repository. @returns null for other models */
  static start(model: monaco.editor.ITextModel, onHunks: () => void): GutterSession | null {
    const path = pathOf(model.uri)
    const file = path === null ? null : repositoryOf(path)
    return file && new GutterSession(model, file, onHunks)
  }

  /** Resolves when the hunks match the current text. */
  async current(): Promise<void> {
    const known = this.#answeredVersion === this.#version || (this.head === null && this.index === null)
    if (known && !this.#reading) return
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Loads the texts at HEAD and in the index again if one of them has changed. */
  async #readBases(): Promise<void> {
    const revision = useGit.getState().statuses[this.repository.id]?.revision
    if (revision === undefined || revision === this.#revision) return
    this.#revision = revision
    this.#reading = true
    try {
      const { id: repository } = this.repository
      const [head, index] = await Promise.all([
        request('git.fileAt', { repository, path: this.path, at: 'head' }),
        request('git.fileAt', { repository, path: this.path, at: 'index' }),
      ])
      if (this.#disposed || revision !== this.#revision) return
      this.head = textOf(head)
      this.index = textOf(index)
    } catch {
      // The view reports git's failures. Without both texts there are no marks.
      if (this.#disposed || revision !== this.#revision) return
      this.head = null
      this.index = null
    }
    this.#reading = false
    this.#open()
  }

  #open(): void {
    const { head, index } = this
    if (head === null && index === null) {
      send({ kind: 'close', id: this.#id })
      return this.#publish(none)
    }
    const text = this.#model.getValue(monaco.editor.EndOfLinePreference.LF)
    send({ kind: 'open', id: this.#id, version: this.#version, text, head, index })
  }

  #receive({ version, head, index, lost }: GutterResponse): void {
    if (lost) return this.#open()
    if (version !== this.#version) return
    this.#answeredVersion = version
    this.#publish({ head, index })
  }

  #publish(hunks: FileHunks): void {
    this.hunks = hunks
    for (const resolve of this.#waiting.splice(0)) resolve()
    this.#onHunks()
  }

  dispose(): void {
    this.#disposed = true
    listeners.delete(this.#id)
    send({ kind: 'close', id: this.#id })
    for (const stop of this.#stops) stop()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

const textOf = (version: GitFileVersion): string | null => (version.kind === 'text' ? version.text : null)
