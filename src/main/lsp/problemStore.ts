import type { Diagnostic, DiagnosticRelatedInformation } from 'vscode-languageserver-protocol'
import type { FileProblems, Problem, ProblemSeverity } from '../../shared/language/languageServers.ts'
import type { LineText, PositionCodec } from './lineText.ts'
import { truncate } from '../../shared/text/truncate.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Problems in one file from one source. */
interface Report {
  diagnostics: readonly Diagnostic[]
  problems: Problem[]
  more: number
}

/** A server pushes problems or returns them on request. One server can do both. */
export interface ProblemSource {
  server: string
  way: 'push' | 'pull'
}

export interface ProblemStore {
  /** Replaces a file's problems from one source. */
  set(path: string, source: ProblemSource, diagnostics: readonly Diagnostic[], convert: ConvertDeps): void
  /** Returns the problems of a file, errors first. */
  of(path: string): FileProblems
  /** Returns the problems that overlap lines in the server's own format, for `textDocument/codeAction`. */
  diagnosticsAt(path: string, server: string, lines: { first: number; last: number }): Diagnostic[]
  all(): FileProblems[]
  /** Removes a server's problems in one file, or in all. */
  clear(server: string, path?: string): void
  /** Stops sending changes. */
  close(): void
}

interface ConvertDeps {
  codec: PositionCodec
  /** The text that the problems refer to, if known. */
  lines: LineText | null
  pathOf(uri: string): string | null
}

/** Maximum problems kept per file and source. Nobody reads more. */
const maxProblems = 500
const maxMessage = 2000
/** Maximum related locations per problem. */
const maxRelated = 10
/** Maximum files with problems. Further files are ignored until others have none. */
const maxFiles = 2000
/** Changes to a file within this time are sent once, so that a flood does not reach the window. */
const sendDelay = 50

const severities: readonly ProblemSeverity[] = ['error', 'warning', 'info', 'hint']

/** @param onChanged called with a file's new problems, at most every `sendDelay` milliseconds */
export function createProblemStore(onChanged: (problems: FileProblems) => void): ProblemStore {
  const reports = new Map<string, Map<string, Report>>()
  const changed = new Set<string>()
  const sending = new Delayer(send, sendDelay)

  function schedule(path: string): void {
    changed.add(path)
    sending.start()
  }

  const isFull = (path: string): boolean => reports.size >= maxFiles && !reports.has(path)

  function send(): void {
    const paths = [...changed]
    changed.clear()
    for (const path of paths) onChanged(of(path))
  }

  function of(path: string): FileProblems {
    const found = [...(reports.get(path)?.values() ?? [])]
    const problems = found
      .flatMap((report) => report.problems)
      .toSorted(
        (a, b) =>
          severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
          a.range.startLine - b.range.startLine ||
          a.range.startColumn - b.range.startColumn,
      )
    return { path, problems, more: found.reduce((sum, { more }) => sum + more, 0) }
  }

  return {
    set(path, { server, way }, diagnostics, convert) {
      const ofFile = reports.get(path) ?? new Map<string, Report>()
      const key = `${server} ${way}`
      const known = ofFile.get(key)
      if (known === undefined && (diagnostics.length === 0 || isFull(path))) return
      const kept = diagnostics.slice(0, maxProblems)
      const report = {
        diagnostics: kept,
        problems: kept.map((diagnostic) => problemOf(diagnostic, convert)),
        more: diagnostics.length - kept.length,
      }
      if (diagnostics.length === 0) ofFile.delete(key)
      else ofFile.set(key, report)
      if (ofFile.size === 0) reports.delete(path)
      else reports.set(path, ofFile)
      schedule(path)
    },
    of,
    diagnosticsAt(path, server, { first, last }) {
      return [...(reports.get(path) ?? [])].flatMap(([key, { diagnostics, problems }]) =>
        key.startsWith(`${server} `)
          ? diagnostics.filter((_, index) => {
              const range = problems[index]?.range
              return range !== undefined && range.startLine <= last && range.endLine >= first
            })
          : [],
      )
    },
    all: () => [...reports.keys()].map(of),
    clear(server, path) {
      for (const [each, ofFile] of path === undefined ? [...reports] : [[path, reports.get(path)] as const]) {
        let removed = false
        for (const way of ['push', 'pull']) removed = ofFile?.delete(`${server} ${way}`) === true || removed
        if (ofFile?.size === 0) reports.delete(each)
        if (removed) schedule(each)
      }
    },
    close: () => sending.cancel(),
  }
}

function problemOf(diagnostic: Diagnostic, { codec, lines, pathOf }: ConvertDeps): Problem {
  const { range, severity = 1, message, source = '', code, codeDescription, tags = [] } = diagnostic
  const { relatedInformation } = diagnostic
  const places = Array.isArray(relatedInformation) ? relatedInformation.slice(0, maxRelated) : []
  const related = places.flatMap((place: Partial<DiagnosticRelatedInformation> | null) => {
    const { location, message: text } = place ?? {}
    const path = location ? pathOf(location.uri) : null
    if (!location || path === null) return []
    // Another file's text is unknown here; its positions are exact in UTF-16.
    return [{ path, range: codec.rangeFromServer(null, location.range), message: truncate(String(text), maxMessage) }]
  })
  return {
    range: codec.rangeFromServer(lines, range),
    severity: severities[severity - 1] ?? 'error',
    message: truncate(String(typeof message === 'string' ? message : message.value), maxMessage),
    source: String(source),
    code: code === undefined ? '' : String(code),
    ...(codeDescription?.href !== undefined && /^https?:\/\//i.test(codeDescription.href)
      ? { codeUrl: codeDescription.href }
      : {}),
    tags: tags.flatMap((tag) => (tag === 1 ? ['unnecessary' as const] : tag === 2 ? ['deprecated' as const] : [])),
    related,
  }
}
