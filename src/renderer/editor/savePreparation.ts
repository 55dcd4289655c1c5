import { ToolError } from '../../shared/errors.ts'
import { isUnicode, type Encoding } from '../../shared/files/encodings.ts'
import { tidyWhitespace } from '../../shared/files/formatting.ts'
import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import { applyRangeEdits } from '../../shared/editor/rangeEdits.ts'
import type { CodeAction } from '../../shared/language/languageServers.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { request, type Bridge } from '../platform/bridge/bridge.ts'
import type { Documents } from '../platform/editor/documents/tabDocuments.ts'
import { applyFileEdits, type FileChangeDeps } from '../platform/editor/documents/fileChanges.ts'
import { documentSettings } from '../platform/editor/documents/documentSettings.ts'
import { documents as windowDocuments } from '../platform/editor/documents/windowDocuments.ts'
import type * as MonacoFormat from './monacoFormat.ts'

/** Code actions that run before a file is saved, as in "was saved without …". */
const sourceActions = { 'source.fixAll': 'fixing its problems', 'source.organizeImports': 'organizing its imports' }

type SourceActionKind = keyof typeof sourceActions

/** Why a file is saved. After a delay, the user may still be typing, so the text is not formatted. */
export type SaveReason = 'explicit' | 'focus' | 'delay'

export interface SavePreparationDeps {
  documents: Pick<Documents, 'get' | 'buffer' | 'setFormat' | 'flush'>
  request: Bridge['request']
  settings(path: string): Settings['editor'] | undefined
  /** How the editor indents an open file. */
  indentation(path: string): Promise<{ tabSize: number; spaces: boolean }>
  /** Formats a visible file with the editor's formatter for its language. @returns whether there is one */
  formatInEditor(path: string): Promise<boolean>
  /** Applies the actions of the file's language servers. Nothing happens if there is none, or after the signal. */
  runSourceActions(path: string, kind: SourceActionKind, signal: AbortSignal): Promise<unknown>
  /** Milliseconds that a save waits for each step of a language server. */
  maxServerTime?: number
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
async function untilAborted<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason as Error) // The only reason is the error below.
  signal.addEventListener('abort', stop)
  return Promise.race([run(), aborted]).finally(() => signal.removeEventListener('abort', stop))
}

/** Prepares open files for saving: formats them, and applies `.editorconfig` and the settings. */
export function createSavePreparation(deps: SavePreparationDeps) {
  const { documents, request, maxServerTime = 3000 } = deps

  /** Replaces the text, unless the user has changed it in the meantime. */
  function replace(path: string, version: number, text: string): void {
    const buffer = documents.buffer(path)
    if (buffer?.version() === version && buffer.text() !== text) buffer.replace(text)
  }

  /** Waits for a step of a language server. @throws ToolError timeout, also if an earlier step of the save had one */
  async function limited<T>(step: () => Promise<T>, slow: AbortController): Promise<T> {
    const timer = setTimeout(() => slow.abort(tooSlow(maxServerTime)), maxServerTime)
    return untilAborted(step, slow.signal).finally(() => clearTimeout(timer))
  }

  /** Formats an open file with its language servers. @returns whether one of them formats it */
  async function formatByServer(path: string, signal?: AbortSignal): Promise<boolean> {
    const buffer = documents.buffer(path)
    if (!buffer || isOutsideFile(path)) return false
    const indentation = await deps.indentation(path)
    // The server gets this text, whatever is typed meanwhile.
    documents.flush()
    const version = buffer.version()
    const text = buffer.text()
    const edits = await request('language.format', { path, ...indentation })
    if (edits === null) return false
    if (signal?.aborted !== true) replace(path, version, applyRangeEdits(text, edits))
    return true
  }

  /**
   * Formats an open file with the project's formatter, or else its language servers, or else the editor.
   * @param slow limits the time of language servers
   * @returns whether there is a formatter
   */
  async function format(path: string, slow?: AbortController): Promise<boolean> {
    const buffer = documents.buffer(path)
    if (!buffer) return false
    const version = buffer.version()
    const formatted = await request('files.format', { path, text: buffer.text() })
    if (formatted) {
      replace(path, version, formatted.text)
      return true
    }
    const isFormatted = slow
      ? await limited(() => formatByServer(path, slow.signal), slow).catch(ignoreServerError)
      : await formatByServer(path)
    return isFormatted || deps.formatInEditor(path)
  }

  async function tidy(path: string, reason: SaveReason): Promise<void> {
    // Only those of the folder are read.
    const config = isOutsideFile(path) ? {} : await request('files.editorConfig', { path })
    const {
      trimTrailingWhitespace = false,
      insertFinalNewline = false,
      trimFinalNewlines = false,
    } = deps.settings(path) ?? {}
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
     * @param slow aborted once a language server took too long. Files of the same save then do not wait again.
     * @returns what failed
     */
    async prepare(path: string, reason: SaveReason, slow = new AbortController()): Promise<SaveProblem[]> {
      const problems: SaveProblem[] = []
      const attempt = (step: Promise<unknown>, context: string) =>
        step.catch((error: unknown) => {
          // A slow server is one problem, whatever it was asked for.
          if (problems.every((problem) => problem.error !== error)) problems.push({ error, context })
        })
      const state = documents.get(path)
      if (state?.status !== 'ready' || state.readonly || state.large) return problems
      const { fixAllOnSave, organizeImportsOnSave, formatOnSave } = deps.settings(path) ?? {}
      const isInFolder = !isOutsideFile(path)
      if (reason !== 'delay' && isInFolder)
        for (const [isOn, kind] of [
          [fixAllOnSave, 'source.fixAll'],
          [organizeImportsOnSave, 'source.organizeImports'],
        ] as const)
          if (isOn)
            await attempt(
              limited(() => deps.runSourceActions(path, kind, slow.signal), slow).catch(ignoreServerError),
              `${path} was saved without ${sourceActions[kind]}`,
            )
      if (reason !== 'delay' && isInFolder && formatOnSave)
        await attempt(format(path, slow), `${path} was saved without formatting`)
      await attempt(tidy(path, reason), `${path} was saved without the rules of .editorconfig`)
      return problems
    },
  }
}

function tooSlow(ms: number): ToolError {
  return new ToolError(
    'timeout',
    `The language servers did not respond within ${ms / 1000} s.`,
    'Save the file again when they are ready, or turn this off in the settings.',
  )
}

/** A save ignores an error of a server, because many refuse files with syntax errors, which are saved often. */
function ignoreServerError(error: unknown): true {
  if (error instanceof ToolError && error.code === 'server_error') return true
  throw error
}

interface SourceActionDeps extends FileChangeDeps {
  documents: FileChangeDeps['documents'] & Pick<Documents, 'flush'>
}

/** Maximum number of actions of a kind. The titles of a server could change for ever. */
const maxSourceActions = 20

/**
 * Applies all actions of a kind to a file, each to the text after the earlier ones. Their edits of other files are left
 * out, because nobody sees them.
 * @returns how many actions were applied; null if no language server of the file has actions
 * @throws ToolError timeout, server_error, conflict
 */
export async function runSourceActions(
  deps: SourceActionDeps,
  path: string,
  kind: SourceActionKind,
  signal?: AbortSignal,
): Promise<number | null> {
  const applied = new Set<string>()
  const isOver = () => signal?.aborted === true
  while (!isOver() && applied.size < maxSourceActions) {
    const lines = deps.documents.buffer(path)?.text().split('\n')
    if (!lines) break
    deps.documents.flush()
    const range = { startLine: 1, startColumn: 1, endLine: lines.length, endColumn: (lines.at(-1)?.length ?? 0) + 1 }
    const list = await deps.request('language.codeActions', { path, range, kind })
    if (list === null) return null
    const open = list.actions.filter((action) => action.disabled === '' && !applied.has(actionKey(action)))
    const [action] = open
    if (!action || isOver()) break
    const files = await deps.request('language.runCodeAction', { list: list.id, index: action.index })
    if (isOver()) break
    await applyFileEdits(
      deps,
      files.filter((file) => file.path === path),
    )
    applied.add(actionKey(action))
    if (open.every((each) => actionKey(each) === actionKey(action))) break
  }
  return applied.size
}

const actionKey = ({ kind, title }: CodeAction): string => `${kind} ${title}`

let monacoFormat: typeof MonacoFormat | undefined

/** Loads Monaco's part. Open files imply that Monaco is loaded. */
async function loadMonacoFormat(): Promise<typeof MonacoFormat> {
  monacoFormat ??= await import('./monacoFormat.ts')
  return monacoFormat
}

export const savePreparation = createSavePreparation({
  documents: windowDocuments,
  request,
  settings: documentSettings,
  indentation: async (path) => (await loadMonacoFormat()).indentationOf(path),
  runSourceActions: (path, kind, signal) =>
    runSourceActions({ request, documents: windowDocuments }, path, kind, signal),
  formatInEditor: async (path) => (await loadMonacoFormat()).formatWithMonaco(path),
  cursorLines(path) {
    void loadMonacoFormat()
    return monacoFormat?.cursorLinesOf(path) ?? new Set()
  },
})
