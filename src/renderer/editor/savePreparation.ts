import { ToolError } from '../../shared/errors.ts'
import { isUnicode, type Encoding } from '../../shared/files/encodings.ts'
import { tidyWhitespace } from '../../shared/files/formatting.ts'
import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { request, type Bridge } from '../platform/bridge/bridge.ts'
import type { Documents } from '../platform/editor/documents/tabDocuments.ts'
import { applyFileEdits, type FileChangeDeps } from '../platform/editor/documents/fileChanges.ts'
import { editorSettings } from '../platform/editor/editorSettings.ts'
import { documents as windowDocuments } from '../platform/editor/documents/windowDocuments.ts'
import type * as MonacoFormat from './monacoFormat.ts'

/** Code actions that run before a file is saved, as in "was saved without …". */
const sourceActions = { 'source.fixAll': 'fixing its problems', 'source.organizeImports': 'organizing its imports' }

type SourceActionKind = keyof typeof sourceActions

/** Why a file is saved. After a delay, the user may still be typing, so the text is not formatted. */
export type SaveReason = 'explicit' | 'focus' | 'delay'

export interface SavePreparationDeps {
  documents: Pick<Documents, 'get' | 'buffer' | 'setFormat'>
  request: Bridge['request']
  settings(): Settings['editor'] | undefined
  /** Formats a visible file with the editor's formatter for its language. @returns whether there is one */
  formatInEditor(path: string): Promise<boolean>
  /** Applies an action of the file's language servers. Nothing happens if there is none, or after the signal. */
  runSourceAction(path: string, kind: SourceActionKind, signal: AbortSignal): Promise<void>
  /** Milliseconds that the actions of a file may take together. */
  maxActionTime?: number
  /** Lines in which the user may be typing. */
  cursorLines(path: string): ReadonlySet<number>
}

/** A step that failed. The file is saved without it. */
export interface SaveProblem {
  error: unknown
  context: string
}

/** Whether a text can change between encodings without losing characters. */
function isFree(from: Encoding, to: Encoding): boolean {
  return isUnicode(from) && isUnicode(to)
}

/** Waits for an action until the signal. @throws the signal's reason */
async function untilAborted(run: () => Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason as Error) // The only reason is the error below.
  signal.addEventListener('abort', stop)
  return Promise.race([run(), aborted]).finally(() => signal.removeEventListener('abort', stop))
}

/** Prepares open files for saving: formats them, and applies `.editorconfig` and the settings. */
export function createSavePreparation(deps: SavePreparationDeps) {
  const { documents, request, maxActionTime = 3000 } = deps

  /** Replaces the text, unless the user has changed it in the meantime. */
  function replace(path: string, version: number, text: string): void {
    const buffer = documents.buffer(path)
    if (buffer?.version() === version && buffer.text() !== text) buffer.replace(text)
  }

  /** Formats an open file with the project's formatter, or else the editor's. @returns whether there is a formatter */
  async function format(path: string): Promise<boolean> {
    const buffer = documents.buffer(path)
    if (!buffer) return false
    const version = buffer.version()
    const formatted = await request('files.format', { path, text: buffer.text() })
    if (!formatted) return deps.formatInEditor(path)
    replace(path, version, formatted.text)
    return true
  }

  async function tidy(path: string, reason: SaveReason): Promise<void> {
    // Only those of the folder are read.
    const config = isOutsideFile(path) ? {} : await request('files.editorConfig', { path })
    const {
      trimTrailingWhitespace = false,
      insertFinalNewline = false,
      trimFinalNewlines = false,
    } = deps.settings() ?? {}
    const buffer = documents.buffer(path)
    const state = documents.get(path)
    if (!buffer || !state) return
    const rules = {
      trimTrailingWhitespace: config.trimTrailingWhitespace ?? trimTrailingWhitespace,
      insertFinalNewline: config.insertFinalNewline ?? (insertFinalNewline || undefined),
      trimFinalNewlines,
    }
    if (rules.trimTrailingWhitespace || trimFinalNewlines || rules.insertFinalNewline !== undefined) {
      const keep = reason === 'explicit' ? undefined : deps.cursorLines(path)
      replace(path, buffer.version(), tidyWhitespace(buffer.text(), rules, keep))
    }
    const { endOfLine: eol = state.format.eol, charset } = config
    const encoding = charset !== undefined && isFree(state.format.encoding, charset) ? charset : state.format.encoding
    if (eol !== state.format.eol || encoding !== state.format.encoding) documents.setFormat(path, { eol, encoding })
  }

  return {
    format,
    /**
     * Never rejects, because a file that cannot be prepared is saved as it is.
     * @param slow aborted once the actions of a file took too long. Files of the same save then do not wait again.
     * @returns what failed
     */
    async prepare(path: string, reason: SaveReason, slow = new AbortController()): Promise<SaveProblem[]> {
      const problems: SaveProblem[] = []
      const attempt = (step: Promise<unknown>, context: string) =>
        step.catch((error: unknown) => void problems.push({ error, context }))
      const state = documents.get(path)
      if (state?.status !== 'ready' || state.readonly || state.large) return problems
      const { fixAllOnSave, organizeImportsOnSave, formatOnSave } = deps.settings() ?? {}
      const isInFolder = !isOutsideFile(path)
      if (reason !== 'delay' && isInFolder) {
        const timer = setTimeout(() => slow.abort(tooSlow(maxActionTime)), maxActionTime)
        for (const [isOn, kind] of [
          [fixAllOnSave, 'source.fixAll'],
          [organizeImportsOnSave, 'source.organizeImports'],
        ] as const)
          if (isOn)
            await attempt(
              untilAborted(() => deps.runSourceAction(path, kind, slow.signal), slow.signal),
              `${path} was saved without ${sourceActions[kind]}`,
            )
        clearTimeout(timer)
      }
      if (reason !== 'delay' && isInFolder && formatOnSave)
        await attempt(format(path), `${path} was saved without formatting`)
      await attempt(tidy(path, reason), `${path} was saved without the rules of .editorconfig`)
      return problems
    },
  }
}

function tooSlow(ms: number): ToolError {
  return new ToolError(
    'timeout',
    `The language servers did not respond within ${ms / 1000} s.`,
    'Save the file again when they are ready, or turn off these actions in the settings.',
  )
}

interface SourceActionDeps extends FileChangeDeps {
  documents: FileChangeDeps['documents'] & Pick<Documents, 'flush'>
}

/** Applies the first action of a kind to the file. Its edits of other files are left out, because nobody sees them. */
export async function runSourceAction(
  deps: SourceActionDeps,
  path: string,
  kind: SourceActionKind,
  signal: AbortSignal,
): Promise<void> {
  const lines = deps.documents.buffer(path)?.text().split('\n')
  if (!lines) return
  deps.documents.flush()
  const range = { startLine: 1, startColumn: 1, endLine: lines.length, endColumn: (lines.at(-1)?.length ?? 0) + 1 }
  const list = await deps.request('language.codeActions', { path, range, kind })
  const action = list?.actions.find(({ disabled }) => disabled === '')
  if (!list || !action || signal.aborted) return
  const files = await deps.request('language.runCodeAction', { list: list.id, index: action.index })
  if (signal.aborted) return
  await applyFileEdits(
    deps,
    files.filter((file) => file.path === path),
  )
}

let monacoFormat: typeof MonacoFormat | undefined

/** Loads Monaco's part. Open files imply that Monaco is loaded. */
async function loadMonacoFormat(): Promise<typeof MonacoFormat> {
  monacoFormat ??= await import('./monacoFormat.ts')
  return monacoFormat
}

export const savePreparation = createSavePreparation({
  documents: windowDocuments,
  request,
  settings: editorSettings,
  runSourceAction: (path, kind, signal) => runSourceAction({ request, documents: windowDocuments }, path, kind, signal),
  formatInEditor: async (path) => (await loadMonacoFormat()).formatWithMonaco(path),
  cursorLines(path) {
    void loadMonacoFormat()
    return monacoFormat?.cursorLinesOf(path) ?? new Set()
  },
})
