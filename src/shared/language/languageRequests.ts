import { z } from 'zod'
import type {
  CodeActionList,
  CompletionDetail,
  CompletionList,
  FileEdits,
  FoldingRange,
  InlayHint,
  LanguageFeatures,
  LanguageState,
  MoveEdits,
  RangeEdit,
  TextRange,
  SemanticTokens,
  SignatureHelp,
} from './languageServers.ts'
import { request } from '../requestType.ts'

// Requests that only language servers serve. Definitions, references, hovers and renames are `code.` requests, for
// which the code index is the fallback. Results are null if no server runs for the file or supports the feature.
// Completions, signature help, code actions and inlay hints return only the latest request of a file: earlier ones are
// cancelled at the server and return null.

const path = z.string().min(1).max(4096)
const id = z.string().min(1).max(200)
const position = z.number().int().min(1)
const place = z.object({ path, line: position, column: position })
const range = z.object({ startLine: position, startColumn: position, endLine: position, endColumn: position })
const ofFile = z.object({ path })
const server = z.object({ server: id })

export const languageRequests = {
  /**
   * Returns the servers and all problems. Later changes arrive as `language.servers`, `language.problems` and
   * `language.programs`.
   */
  'language.state': request<LanguageState>()(() => z.object({})),
  /** Waits until the file's server is running. Null if there is none. */
  'language.features': request<LanguageFeatures | null>()(() => ofFile),
  /** `trigger`: the typed character that requested the list. */
  'language.completion': request<CompletionList | null>()(() =>
    place.extend({ trigger: z.string().max(4).optional() }),
  ),
  'language.resolveCompletion': request<CompletionDetail | null>()(() =>
    z.object({ list: id, index: z.number().int().min(0) }),
  ),
  'language.signatureHelp': request<SignatureHelp | null>()(() =>
    place.extend({ trigger: z.string().max(4).optional(), retrigger: z.boolean().default(false) }),
  ),
  /** `kind`: limits the list to actions of this kind, e.g. "quickfix". */
  'language.codeActions': request<CodeActionList | null>()(() =>
    z.object({ path, range, kind: z.string().max(100).optional() }),
  ),
  /** Computes the changes of an action. The window applies them. @throws conflict if the list is no longer known */
  'language.runCodeAction': request<FileEdits[]>()(() => z.object({ list: id, index: z.number().int().min(0) })),
  /**
   * Returns the edits that servers propose before entries move, within about one second. The window applies them after
   * the move. Null if there are none.
   */
  'language.willMove': request<MoveEdits | null>()(() =>
    z.object({ moves: z.array(z.object({ from: path, to: path })).min(1) }),
  ),
  'language.format': request<RangeEdit[] | null>()(() =>
    z.object({ path, range: range.optional(), tabSize: z.number().int().min(1).max(100), spaces: z.boolean() }),
  ),
  'language.foldingRanges': request<FoldingRange[] | null>()(() => ofFile),
  /** Returns the ranges whose texts change together, one of which is at the position; null if there are none. */
  'language.linkedEditingRanges': request<TextRange[] | null>()(() => place),
  'language.inlayHints': request<InlayHint[] | null>()(() => z.object({ path, range })),
  /** `range`: limits the tokens to this part of the file. */
  'language.semanticTokens': request<SemanticTokens | null>()(() => z.object({ path, range: range.optional() })),
  /** Reads a library file outside the workspace that a server referred to. @throws not_found, too_large, binary_file */
  'language.libraryFile': request<{ path: string; text: string }>()(() => z.object({ id })),
  /** Starts a server again, even after it failed. */
  'language.restart': request<LanguageState>()(() => server),
  /** Returns the last lines of a server's log. */
  'language.log': request<string[]>()(() => server),
  /** Downloads a server into the user's data folder. @throws network_error, no_space, conflict */
  'language.install': request<LanguageState>()(() => server),
  /** Allows a program of `LanguageState.programs` as it is now. */
  'language.allowProgram': request<LanguageState>()(() => ofFile),
} as const
