import type { ReviewFileHunks, ReviewScope } from '../../../shared/review/review.ts'
import { toFailure } from '../../../shared/errors.ts'
import { on, request } from '../../platform/bridge/bridge.ts'
import { documents } from '../../platform/editor/documents/windowDocuments.ts'
import { useReview } from '../../platform/review/reviewStore.ts'
import { Delayer } from '../../../shared/async/delayer.ts'

/** The version of a text in the window. A Monaco model implements it. */
export interface VersionedText {
  getVersionId(): number
  isDisposed(): boolean
}

/** Milliseconds without a change before the hunks are requested again. */
const settleMs = 100
/**
 * The same while the user types, when Monaco moves the marks. Longer than the interval between main's reports, so that
 * nothing is requested before a pause.
 */
const typingMs = 350

/**
 * Requests a file's hunks when main reports a change. Drops responses for an older text, so that the listener always
 * receives hunks that match the editor's lines.
 */
export class HunkSource {
  readonly #text: VersionedText
  readonly #scope: ReviewScope
  readonly #path: string
  readonly #listener: (file: ReviewFileHunks | null) => void
  readonly #stops: (() => void)[]
  readonly #later = new Delayer(() => this.refresh())
  #request: Promise<ReviewFileHunks | null> | null = null
  #stopped = false
  /** Version of the text for which hunks were last requested. */
  #version = -1

  constructor(text: VersionedText, scope: ReviewScope, path: string, listener: (file: ReviewFileHunks | null) => void) {
    this.#text = text
    this.#scope = scope
    this.#path = path
    this.#listener = listener
    this.#stops = [
      on('review.changed', ({ paths }) => {
        if (paths === null || paths.includes(path)) this.#schedule()
      }),
      // A file was added to the list or removed, for example after the folder was opened.
      useReview.subscribe(({ pending }, before) => {
        const listed = (files: typeof pending.files) => files.some((file) => file.path === path)
        if (pending !== before.pending && listed(pending.files) !== listed(before.pending.files)) this.#schedule()
      }),
    ]
    if (scope.kind !== 'pending' || useReview.getState().pending.files.some((file) => file.path === path))
      void this.refresh()
  }

  #schedule(): void {
    if (this.#stopped || this.#text.isDisposed()) return
    const typed = this.#text.getVersionId() !== this.#version
    this.#later.restart(typed ? typingMs : settleMs)
  }

  /**
   * Requests the current text's hunks and passes them to the listener.
   * @returns the hunks; null if the file has none, or if the text changed in the meantime
   */
  async refresh(): Promise<ReviewFileHunks | null> {
    this.#later.cancel()
    // A pending response can be older than the text.
    await this.#request
    this.#request = this.#load()
    return this.#request
  }

  async #load(): Promise<ReviewFileHunks | null> {
    if (this.#stopped || this.#text.isDisposed()) return null
    // Main computes hunks from the tab's text, so it needs the latest changes first.
    documents.flush()
    const version = this.#text.getVersionId()
    this.#version = version
    const file = await request('review.hunks', { scope: this.#scope, path: this.#path }).catch((error: unknown) => {
      // The file has no changes or no longer exists.
      if (toFailure(error).code === 'not_found') return null
      return undefined
    })
    if (file === undefined || this.#stopped || this.#text.isDisposed()) return null
    if (this.#text.getVersionId() !== version) {
      this.#schedule()
      return null
    }
    this.#listener(file)
    return file
  }

  stop(): void {
    this.#stopped = true
    this.#later.cancel()
    this.#stops.forEach((stop) => stop())
  }
}
