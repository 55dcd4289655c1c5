import path from 'node:path'
import { changedSpan, type ChangedSpan } from '../../shared/editor/changedSpan.ts'
import { absoluteIn, inEachFolder, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { pathExists } from '../base/smallFile.ts'
import type { Connection } from './connection.ts'
import { LineText, type PositionCodec } from './lineText.ts'
import type { ServerDefinition } from './serverTable.ts'

/** A file whose text a server has, or receives when it starts. */
export interface ServerDocument {
  readonly path: string
  readonly uri: string
  readonly languageId: string
  version: number
  lines: LineText
}

/** The documents of one server, which survive its restart. */
export interface ServerDocuments {
  get(path: string): ServerDocument | undefined
  all(): ServerDocument[]
  /** Opens a document, or sends the change since the last text. @returns whether anything changed */
  setText(path: string, languageId: string, text: string): boolean
  /** Sends that a document was saved. */
  saved(path: string): void
  /** @returns whether it was open */
  close(path: string): boolean
  /** Sends didOpen for every document. `server` is null once it has exited. */
  connect(to: { connection: Connection; codec: PositionCodec } | null): void
}

/** @param uriOf returns the URI of a path relative to the workspace */
export function createServerDocuments(uriOf: (path: string) => string): ServerDocuments {
  const documents = new Map<string, ServerDocument>()
  let server: { connection: Connection; codec: PositionCodec } | null = null

  function open({ uri, languageId, version, lines }: ServerDocument): void {
    server?.connection.notify('textDocument/didOpen', {
      textDocument: { uri, languageId, version, text: lines.text },
    })
  }

  function change(document: ServerDocument, before: LineText, span: ChangedSpan): void {
    if (server === null) return
    const { connection, codec } = server
    const { textDocumentSync } = connection.capabilities
    const kind = typeof textDocumentSync === 'object' ? textDocumentSync.change : textDocumentSync
    const { uri, version, lines } = document
    connection.notify('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [kind === 2 ? incrementalChange(before, lines.text, span, codec) : { text: lines.text }],
    })
  }

  return {
    get: (path) => documents.get(path),
    all: () => [...documents.values()],
    setText(path, languageId, text) {
      const known = documents.get(path)
      if (known?.lines.text === text) return false
      if (known) {
        const before = known.lines
        const span = changedSpan(before.text, text)
        known.lines = before.edited(text, span)
        known.version += 1
        change(known, before, span)
      } else {
        const added = { path, uri: uriOf(path), languageId, version: 1, lines: new LineText(text) }
        documents.set(path, added)
        open(added)
      }
      return true
    },
    saved(path) {
      const document = documents.get(path)
      const sync = server?.connection.capabilities.textDocumentSync
      const save = typeof sync === 'object' ? sync.save : undefined
      if (!document || !save) return
      const text = typeof save === 'object' && save.includeText === true ? document.lines.text : undefined
      server?.connection.notify('textDocument/didSave', { textDocument: { uri: document.uri }, text })
    },
    close(path) {
      const document = documents.get(path)
      if (!document) return false
      documents.delete(path)
      server?.connection.notify('textDocument/didClose', { textDocument: { uri: document.uri } })
      return true
    },
    connect(to) {
      server = to
      for (const document of documents.values()) open(document)
    },
  }
}

/**
 * Returns the smallest change between two texts. Does not split a surrogate pair, which has a single position in UTF-8.
 */
function incrementalChange(before: LineText, after: string, span: ChangedSpan, codec: PositionCodec) {
  let { start, oldEnd, newEnd } = span
  if (isLowSurrogate(before.text, start) || isLowSurrogate(after, start)) start -= 1
  if (isLowSurrogate(before.text, oldEnd) || isLowSurrogate(after, newEnd)) {
    oldEnd += 1
    newEnd += 1
  }
  const position = (offset: number) => {
    const { line, column } = before.placeOf(offset)
    return codec.toServer(before, { line: line + 1, column: column + 1 })
  }
  return { range: { start: position(start), end: position(oldEnd) }, text: after.slice(start, newEnd) }
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff
}

/** Checks for the configuration and project files that decide what servers are used for. */
export function createProjectFiles(workspace: WorkspaceRoots, table: readonly ServerDefinition[]) {
  /** Ids of servers that require a configuration file and have one. */
  const configured = new Set<string>()
  return {
    isConfigured: ({ id, onlyWith }: ServerDefinition): boolean => onlyWith === undefined || configured.has(id),

    /** Checks which servers have their configuration file. */
    async check(): Promise<void> {
      for (const { id, onlyWith = [] } of table) {
        const files = onlyWith.flatMap((name) => inEachFolder(workspace, name))
        const found = await Promise.all(files.map((file) => pathExists(absoluteIn(workspace, file))))
        if (found.includes(true)) configured.add(id)
        else configured.delete(id)
      }
    },

    /** Whether one of these files is a server's configuration file. */
    includesConfiguration: (files: readonly string[]): boolean =>
      table.some(({ onlyWith = [] }) =>
        onlyWith.some((name) => inEachFolder(workspace, name).some((file) => files.includes(file))),
      ),

    /** Whether a server knows all files of the project that contains a file. */
    async knowsProject({ projectFiles }: ServerDefinition, file: string): Promise<boolean> {
      if (projectFiles === undefined) return true
      for (let folder = path.posix.dirname(file); ; folder = path.posix.dirname(folder)) {
        const found = await Promise.all(
          projectFiles.map((name) => pathExists(path.join(absoluteIn(workspace, folder), name))),
        )
        if (found.includes(true)) return true
        if (folder === '.') return false
      }
    },
  }
}
