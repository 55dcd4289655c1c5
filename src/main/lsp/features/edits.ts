import { randomUUID } from 'node:crypto'
import type * as lsp from 'vscode-languageserver-protocol'
import { ToolError } from '../../../shared/errors.ts'
import type {
  CodeAction,
  CodeActionList,
  FileEdits,
  RangeEdit,
  TextRange,
} from '../../../shared/language/languageServers.ts'
import type { RenameFile, RenameOccurrence, RenamePlan } from '../../../shared/language/symbolRename.ts'
import { textHash } from '../../../shared/files/textHash.ts'
import type { LanguageServer } from '../languageServer.ts'
import type { LineText } from '../lineText.ts'
import type { ProblemStore } from '../problemStore.ts'
import type { DocumentServer, QueryAllServers, QueryServers, FilePosition } from './featureServer.ts'
import { rangeEdits } from './serverCompletion.ts'

export interface EditDeps {
  query: QueryServers
  queryAll: QueryAllServers
  store: Pick<ProblemStore, 'diagnosticsAt'>
  /** Collects the edits that a server requests while `run` is running. */
  collectEdits(server: LanguageServer, run: () => Promise<unknown>): Promise<lsp.WorkspaceEdit[]>
}

/** Texts of files open on a server. A changed text is a new object. */
type OpenTexts = ReadonlyMap<string, LineText>

interface ListedAction {
  answering: DocumentServer
  action: lsp.CodeAction | lsp.Command
  /** The texts from which the list was computed. */
  texts: OpenTexts
}

const keptLists = 3
const maxActions = 100
const maxLineText = 300

/** Renames and code actions from language servers. Changes nothing. */
export function createEdits({ query, queryAll, store, collectEdits }: EditDeps) {
  const lists = new Map<string, ListedAction[]>()

  return {
    /**
     * @param anyServer also uses a server that may not know all uses, for names missing from the index
     * @returns undefined if no server can rename
     * @throws ToolError no_match, no_change, outside_workspace
     */
    async rename(
      place: FilePosition,
      newName: string,
      signal?: AbortSignal,
      anyServer = false,
    ): Promise<RenamePlan | undefined> {
      const plan = await query(
        place.path,
        'textDocument/rename',
        async (answering) => {
          const { uri, codec, lines, server } = answering
          const params = { textDocument: { uri }, position: codec.toServer(lines, place) }
          const texts = textsOf(server)
          const edit = await answering.request('textDocument/rename', { ...params, newName })
          const files = edit === null ? [] : await fileEdits(answering, edit, texts)
          if (files.length === 0)
            throw new ToolError(
              'no_match',
              `${server.definition.title} cannot rename this.`,
              'Put the cursor on a name that is defined in this folder.',
            )
          return renamePlan(answering, place, newName, files)
        },
        { signal, explicit: true, wholeProject: !anyServer },
      )
      return plan ?? undefined
    },

    async codeActions(
      { path, range, kind }: { path: string; range: TextRange; kind?: string | undefined },
      signal?: AbortSignal,
    ): Promise<CodeActionList | null> {
      const found = await queryAll(
        path,
        'textDocument/codeAction',
        async (answering) => {
          const { uri, codec, lines, server } = answering
          const places = { first: range.startLine, last: range.endLine }
          const texts = textsOf(server)
          const diagnostics = store.diagnosticsAt(path, server.definition.id, places)
          const actions = await answering.request('textDocument/codeAction', {
            textDocument: { uri },
            range: codec.rangeToServer(lines, range),
            context: { diagnostics, triggerKind: 1, ...(kind !== undefined && { only: [kind] }) },
          })
          return (actions ?? [])
            .filter((action) => isOfKind(action, kind))
            .slice(0, maxActions)
            .map((action) => ({ answering, action, texts }))
        },
        // A list for the light bulb must not cancel that of a save or a command.
        { signal, ...(kind?.startsWith('source.') === true ? { explicit: true } : { latest: 'codeActions' }) },
      )
      if (found === undefined) return null
      const entries = found.flat()
      const id = randomUUID()
      lists.set(id, entries)
      for (const old of [...lists.keys()].slice(0, -keptLists)) lists.delete(old)
      return { id, actions: entries.map(({ action }, index) => codeAction(action, index)) }
    },

    /** Computes an action's changes. @throws ToolError conflict, refused, outside_workspace, server_error */
    async runCodeAction(id: string, index: number, signal?: AbortSignal): Promise<FileEdits[]> {
      const entry = lists.get(id)?.[index]
      if (!entry) throw new ToolError('conflict', 'This action is outdated.', 'Open the list of actions again.')
      const { answering, texts } = entry
      signal?.throwIfAborted()
      // The action contains positions in the text from which the list was computed.
      requireSameText(answering.server, answering.path, texts)
      const action = await resolveAction(answering, entry.action)
      const edits: lsp.WorkspaceEdit[] = action.edit ? [action.edit] : []
      const { command } = action
      if (command)
        edits.push(
          ...(await collectEdits(answering.server, () =>
            answering.request('workspace/executeCommand', {
              command: command.command,
              ...(command.arguments && { arguments: command.arguments }),
            }),
          )),
        )
      const files = await Promise.all(edits.map((edit) => fileEdits(answering, edit, texts)))
      const merged = mergeFiles(files.flat())
      if (!isOrganizingImports(entry.action)) return merged
      return merged.map((file) =>
        file.path === answering.path ? { ...file, edits: withoutAddedSemicolons(file.edits, answering.lines) } : file,
      )
    },
  }
}

/** Whether an action has a kind or one below it. Many servers also return other actions than those requested. */
function isOfKind(action: lsp.CodeAction | lsp.Command, kind = ''): boolean {
  return kind === '' || ('kind' in action && `${action.kind}.`.startsWith(`${kind}.`))
}

const isOrganizingImports = (action: lsp.CodeAction | lsp.Command): boolean =>
  'kind' in action && action.kind?.startsWith('source.organizeImports') === true

/** TypeScript 7 ends the imports that it writes with semicolons, also in a file without them. */
function withoutAddedSemicolons(edits: readonly RangeEdit[], lines: LineText): RangeEdit[] {
  const hasSemicolons = ({ range }: RangeEdit): boolean => {
    for (let line = range.startLine; line <= range.endLine; line++)
      if (
        lines
          .line(line - 1)
          .trimEnd()
          .endsWith(';')
      )
        return true
    return false
  }
  if (edits.some(hasSemicolons)) return [...edits]
  return edits.map((edit) => ({ ...edit, text: edit.text.replaceAll(/;$/gm, '') }))
}

/** Formatting from language servers. Null if none formats the file. */
export function createFormatting(query: QueryServers) {
  return {
    async format(
      path: string,
      range: TextRange | undefined,
      { tabSize, spaces }: { tabSize: number; spaces: boolean },
      signal?: AbortSignal,
    ): Promise<RangeEdit[] | null> {
      const options = { tabSize, insertSpaces: spaces, trimTrailingWhitespace: true, insertFinalNewline: true }
      const edits = await query(
        path,
        range ? 'textDocument/rangeFormatting' : 'textDocument/formatting',
        async (answering) => {
          const { uri, codec, lines } = answering
          const textDocument = { uri }
          const found = range
            ? await answering.request('textDocument/rangeFormatting', {
                textDocument,
                range: codec.rangeToServer(lines, range),
                options,
              })
            : await answering.request('textDocument/formatting', { textDocument, options })
          return found && rangeEdits(answering, lines, found)
        },
        { signal, explicit: true },
      )
      return edits ?? null
    },
  }
}

async function resolveAction(
  answering: DocumentServer,
  action: lsp.CodeAction | lsp.Command,
): Promise<Pick<lsp.CodeAction, 'edit' | 'command'>> {
  // A plain command has a name instead of a command object.
  if (typeof action.command === 'string') return { command: { ...action, command: action.command } }
  const literal = action as lsp.CodeAction // Not a command, so an action.
  if (literal.edit !== undefined || literal.data === undefined) return literal
  const provider = answering.server.running()?.connection.capabilities.codeActionProvider
  if (typeof provider !== 'object' || provider.resolveProvider !== true) return literal
  return (await answering.request('codeAction/resolve', literal)) ?? literal
}

function codeAction(action: lsp.CodeAction | lsp.Command, index: number): CodeAction {
  const literal = typeof action.command === 'string' ? undefined : (action as lsp.CodeAction) // Not a command.
  return {
    index,
    title: action.title,
    kind: literal?.kind ?? '',
    preferred: literal?.isPreferred === true,
    disabled: literal?.disabled?.reason ?? '',
    fixes: (literal?.diagnostics ?? []).map(({ message }) => (typeof message === 'string' ? message : message.value)),
  }
}

/**
 * Converts a server's edits.
 * @param known the texts from which they were computed
 * @throws ToolError conflict if a text has changed; outside_workspace, refused if one of them is not allowed
 */
export async function fileEdits(
  answering: Pick<DocumentServer, 'server' | 'pathOf' | 'linesOf' | 'codec'>,
  { changes, documentChanges }: lsp.WorkspaceEdit,
  known: OpenTexts,
): Promise<FileEdits[]> {
  const { server } = answering
  const { title } = server.definition
  const texts: { uri: string; version?: number | null; edits: readonly lsp.TextEdit[] }[] = []
  for (const change of documentChanges ?? []) {
    if (!('textDocument' in change))
      throw new ToolError(
        'refused',
        `${title} sent a change that creates, renames or deletes files (${change.kind}). Tizona does not support this.`,
        'Nothing was changed.',
      )
    const { uri, version } = change.textDocument
    texts.push({ uri, version, edits: change.edits.filter((edit) => 'newText' in edit) })
  }
  if (documentChanges === undefined)
    texts.push(...Object.entries(changes ?? {}).map(([uri, edits]) => ({ uri, edits })))
  const files: FileEdits[] = []
  for (const { uri, version, edits } of texts) {
    const path = answering.pathOf(uri)
    if (path === null)
      throw new ToolError(
        'outside_workspace',
        `${title} sent a change to ${uri}, which is outside the folder.`,
        'Nothing was changed.',
      )
    const lines = await answering.linesOf(path)
    if (lines === null)
      throw new ToolError(
        'not_found',
        `${title} sent a change to ${path}, which cannot be read.`,
        'Nothing was changed.',
      )
    if (edits.length === 0) continue
    requireSameText(server, path, known)
    const current = server.documents.get(path)?.version
    if (typeof version === 'number' && current !== undefined && version !== current) throw changedSince(path)
    files.push({ path, textHash: textHash(lines.text), edits: rangeEdits(answering, lines, edits) })
  }
  return mergeFiles(files)
}

/** Returns the texts that a server has now. */
export function textsOf(server: LanguageServer): OpenTexts {
  return new Map(server.documents.all().map(({ path, lines }) => [path, lines]))
}

/** @throws ToolError conflict if a file that was open on the server now has different text */
function requireSameText(server: LanguageServer, path: string, known: OpenTexts): void {
  const before = known.get(path)
  const now = server.documents.get(path)?.lines
  if (before && now && before !== now && before.text !== now.text) throw changedSince(path)
}

function changedSince(path: string): ToolError {
  return new ToolError(
    'conflict',
    `${path} has changed since this was computed.`,
    'Nothing was changed. Choose the action again.',
  )
}

/** Merges the edits of each file. */
export function mergeFiles(files: readonly FileEdits[]): FileEdits[] {
  return [...Map.groupBy(files, ({ path }) => path)].map(([path, all]) => ({
    path,
    // All were converted for the current text.
    textHash: all[0]?.textHash ?? '',
    edits: all.flatMap(({ edits }) => edits),
  }))
}

/** Builds the preview of a rename. An edit that spans lines is not an occurrence of a name. */
async function renamePlan(
  answering: DocumentServer,
  place: FilePosition,
  newName: string,
  files: readonly FileEdits[],
): Promise<RenamePlan> {
  const renamed: RenameFile[] = []
  let name = ''
  for (const { path, textHash: hash, edits } of files) {
    const lines = await answering.linesOf(path)
    const occurrences = edits.map(({ range, text }): RenameOccurrence => {
      if (range.startLine !== range.endLine)
        throw new ToolError(
          'refused',
          'The language server sent a rename that changes other text too.',
          'Nothing was changed.',
        )
      const line = lines?.line(range.startLine - 1) ?? ''
      const replaced = line.slice(range.startColumn - 1, range.endColumn - 1)
      const isHere = path === place.path && range.startLine === place.line
      if (isHere && range.startColumn <= place.column && place.column <= range.endColumn) name = replaced
      return {
        line: range.startLine,
        column: range.startColumn,
        kind: 'reference',
        lineText: line.slice(0, maxLineText),
        replaced,
        replacement: text,
      }
    })
    renamed.push({
      path,
      textHash: hash,
      occurrences: occurrences.toSorted((a, b) => a.line - b.line || a.column - b.column),
    })
  }
  const here = renamed.filter(({ path }) => path === place.path)
  const others = renamed.filter(({ path }) => path !== place.path)
  name ||= here[0]?.occurrences[0]?.replaced ?? others[0]?.occurrences[0]?.replaced ?? ''
  return { name, newName, files: [...here, ...others], taken: [], moreMentions: 0, certain: true }
}
