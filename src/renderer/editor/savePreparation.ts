import { isUnicode, type Encoding } from '../../shared/files/encodings.ts'
import { tidyWhitespace } from '../../shared/files/formatting.ts'
import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { request, type Bridge } from '../platform/bridge/bridge.ts'
import type { Documents } from '../platform/editor/documents/tabDocuments.ts'
import { applyFileEdits } from '../platform/editor/documents/fileChanges.ts'
import { editorSettings } from '../platform/editor/editorSettings.ts'
import { documents as windowDocuments } from '../platform/editor/documents/windowDocuments.ts'
import type * as MonacoFormat from './monacoFormat.ts'

/** Code actions that run before a file is saved, as in "was saved without …". */
const sourceActions = { 'source.fixAll': 'fixing its problems', 'source.organizeImports': 'organizing its imports' }

/** Why a file is saved. After a delay, the user may still be typing, so the text is not formatted. */
export type SaveReason = 'explicit' | 'focus' | 'delay'

export interface SavePreparationDeps {
  documents: Pick<Documents, 'get' | 'buffer' | 'setFormat'>
  request: Bridge['request']
  settings(): Settings['editor'] | undefined
  /** Formats a visible file with the editor's formatter for its language. @returns whether there is one */
  formatInEditor(path: string): Promise<boolean>
  /** Applies an action of the file's language servers. Nothing happens if there is none. */
  runSourceAction(path: string, kind: keyof typeof sourceActions): Promise<void>
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

/** Prepares open files for saving: formats them, and applies `.editorconfig` and the settings. */
export function createSavePreparation(deps: SavePreparationDeps) {
  const { documents, request } = deps

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
    /** Never rejects, because a file that cannot be prepared is saved as it is. @returns what failed */
    async prepare(path: string, reason: SaveReason): Promise<SaveProblem[]> {
      const problems: SaveProblem[] = []
      const attempt = (step: Promise<unknown>, context: string) =>
        step.catch((error: unknown) => void problems.push({ error, context }))
      const state = documents.get(path)
      if (state?.status !== 'ready' || state.readonly || state.large) return problems
      const { fixAllOnSave, organizeImportsOnSave, formatOnSave } = deps.settings() ?? {}
      const isInFolder = !isOutsideFile(path)
      if (reason !== 'delay' && isInFolder)
        for (const [isOn, kind] of [
          [fixAllOnSave, 'source.fixAll'],
          [organizeImportsOnSave, 'source.organizeImports'],
        ] as const)
          if (isOn) await attempt(deps.runSourceAction(path, kind), `${path} was saved without ${sourceActions[kind]}`)
      if (reason !== 'delay' && isInFolder && formatOnSave)
        await attempt(format(path), `${path} was saved without formatting`)
      await attempt(tidy(path, reason), `${path} was saved without the rules of .editorconfig`)
      return problems
    },
  }
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
  async runSourceAction(path, kind) {
    const lines = windowDocuments.buffer(path)?.text().split('\n')
    if (!lines) return
    windowDocuments.flush()
    const range = { startLine: 1, startColumn: 1, endLine: lines.length, endColumn: (lines.at(-1)?.length ?? 0) + 1 }
    const list = await request('language.codeActions', { path, range, kind })
    const action = list?.actions.find(({ disabled }) => disabled === '')
    if (list && action)
      await applyFileEdits(
        { request, documents: windowDocuments },
        await request('language.runCodeAction', { list: list.id, index: action.index }),
      )
  },
  formatInEditor: async (path) => (await loadMonacoFormat()).formatWithMonaco(path),
  cursorLines(path) {
    void loadMonacoFormat()
    return monacoFormat?.cursorLinesOf(path) ?? new Set()
  },
})
