import type { MarkedString, MarkupContent } from 'vscode-languageserver-protocol'
import type { LanguageServer } from '../languageServer.ts'
import type { LibraryFile } from '../libraryFiles.ts'
import type { LineText, PositionCodec } from '../lineText.ts'
import type { ServerRequestName, ServerRequests } from '../connection.ts'
import type { Uris } from '../uris.ts'

/** A position in a workspace file. 1-based; columns count UTF-16 units. */
export interface FilePosition {
  path: string
  line: number
  column: number
}

/** A server that handles requests. */
export interface FeatureServer extends Uris {
  readonly codec: PositionCodec
  readonly server: LanguageServer
  /** Returns the file of a library outside the workspace that the server named; null for everything else. */
  libraryOf(uri: string): Promise<LibraryFile | null>
  /** Returns the current text of a workspace file; null if it cannot be read. */
  linesOf(path: string): Promise<LineText | null>
  /** Sends a request to this server. Null if it does not support the feature. @throws like `Connection.request` */
  request<M extends ServerRequestName>(method: M, params: ServerRequests[M][0]): Promise<ServerRequests[M][1] | null>
}

/** A server that handles requests about an open file. */
export interface DocumentServer extends FeatureServer {
  readonly path: string
  readonly uri: string
  /** The file's text when the request was sent. */
  readonly lines: LineText
}

/**
 * Sends a request to a file's servers in order, until one returns a result that is not null.
 * @param method skips servers without this feature
 * @returns undefined if no server has the feature; null if none has a result, or the request was cancelled
 */
export type QueryServers = <T>(
  path: string,
  method: ServerRequestName,
  answer: (answering: DocumentServer) => Promise<T | null>,
  options: QueryOptions,
) => Promise<T | null | undefined>

/** Sends a request to all of a file's servers. @returns their results; undefined if no server has the feature */
export type QueryAllServers = <T>(
  path: string,
  method: ServerRequestName,
  answer: (answering: DocumentServer) => Promise<T | null>,
  options: QueryOptions,
) => Promise<T[] | undefined>

/** Sends a request to all running servers with a feature, whatever files they serve. @returns their results */
export type QueryRunningServers = <T>(
  method: ServerRequestName,
  answer: (answering: FeatureServer) => Promise<T | null>,
  signal: AbortSignal,
) => Promise<T[]>

export interface QueryOptions {
  signal?: AbortSignal | undefined
  /** A newer request on this topic for the same file cancels this one. */
  latest?: string
  /** Only uses servers that know all files of the project. */
  wholeProject?: boolean
  /** Does not start servers or wait for their start. */
  onlyRunning?: boolean
  /**
   * The user asked for the result: waits for a starting server if no running one has a result, and fails if no server has a result and one failed.
   * Otherwise, a failed request counts as no result.
   */
  explicit?: boolean
}

/** Returns a server's text as Markdown. */
export function markdownOf(content: MarkupContent | MarkedString | readonly MarkedString[] | null | undefined): string {
  // Some servers send null for what they do not have.
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map((each: MarkedString) => markdownOf(each)).join('\n\n')
  const single = content as MarkupContent | { language: string; value: string } // Narrowed from the list.
  if ('language' in single) return `\`\`\`${single.language}\n${single.value}\n\`\`\``
  return single.kind === 'plaintext' ? escapeMarkdown(single.value) : single.value
}

/** Escapes plain text, so that it produces no links or images. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>~&]/g, String.raw`\$&`).replaceAll('\n', '  \n')
}
