import { plural } from '../../../../shared/text/plural.ts'
import { toFailure } from '../../../../shared/errors.ts'
import type { Documents } from '../../../workspace/documents.ts'
import { truncateLine } from '../../common/relevantLines.ts'

/** A line that supports a finding. The line was read, and `text` is its content. */
export interface Evidence {
  path: string
  /** 1-based. */
  line: number
  text: string
}

/** Answers one part of the objective, with evidence. */
export interface Finding {
  title: string
  detail: string
  confidence: 'high' | 'medium' | 'low'
  /** Never empty. */
  evidence: Evidence[]
}

/** Findings of a model before verification. */
export interface Claims {
  summary: string
  findings: { title: string; detail: string; confidence: Finding['confidence']; evidence: ClaimedEvidence[] }[]
  /** Total number of findings, if some are omitted. */
  totalFindings?: number
  /** Locations omitted because a finding has too many. */
  omittedLocations?: number
}
interface ClaimedEvidence {
  path: string
  line: number
  quote: string
}

/** Findings of a model after verification. */
export interface VerifiedFindings {
  findings: Finding[]
  /** Number of verified locations. */
  checked: number
  /** Number of locations that do not exist, do not contain the quote, or are outside the scope. */
  dropped: number
  /** Number of findings without evidence. */
  findingsDropped: number
}

const maxFindings = 20
const maxEvidence = 10
const maxTitleLength = 300
const maxDetailLength = 3000

/** Parses the findings in a model's answer: JSON alone, fenced, or inside other text. Undefined if there are none. */
export function readClaims(answer: string): Claims | undefined {
  for (const text of jsonCandidates(answer)) {
    const value = parsed(text)
    const list = Array.isArray(value) ? value : field(value, 'findings', 'results')
    if (!Array.isArray(list)) continue
    const placesLeftOut = list
      .slice(0, maxFindings)
      .reduce((sum: number, each) => sum + Math.max(0, evidenceOf(each).length - maxEvidence), 0)
    return {
      summary: textOf(value, 'summary', 'answer', 'conclusion').slice(0, maxDetailLength),
      findings: list.slice(0, maxFindings).map(readFinding),
      ...(list.length > maxFindings && { totalFindings: list.length }),
      ...(placesLeftOut > 0 && { omittedLocations: placesLeftOut }),
    }
  }
  return undefined
}

/** Yields candidates for the JSON, because small models put fences and text around it. */
function* jsonCandidates(answer: string): Generator<string> {
  yield answer.trim()
  for (const [, inside = ''] of answer.matchAll(/```(?:json)?[^\S\n]*\n([\s\S]*?)```/g)) yield inside.trim()
  for (const [open, close] of ['{}', '[]']) {
    const from = answer.indexOf(open ?? '')
    const to = answer.lastIndexOf(close ?? '')
    if (from >= 0 && to > from) yield answer.slice(from, to + 1)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the next candidate is tried.
    return undefined
  }
}

function readFinding(value: unknown): Claims['findings'][number] {
  const confidence = textOf(value, 'confidence').toLowerCase()
  return {
    title: textOf(value, 'title', 'finding', 'claim', 'summary').slice(0, maxTitleLength),
    detail: textOf(value, 'detail', 'details', 'description', 'explanation').slice(0, maxDetailLength),
    confidence: confidence === 'high' || confidence === 'low' ? confidence : 'medium',
    evidence: evidenceOf(value).slice(0, maxEvidence).map(readEvidence),
  }
}

function evidenceOf(value: unknown): readonly unknown[] {
  const evidence: unknown = field(value, 'evidence', 'references', 'locations')
  return Array.isArray(evidence) ? evidence : [value]
}

/** Reports which findings of the model are not shown. */
export function claimNotes({ findings, totalFindings: claimed, omittedLocations: placesLeftOut }: Claims): string[] {
  return [
    claimed === undefined ? '' : `${findings.length} of ${claimed} findings of the model are included.`,
    placesLeftOut === undefined
      ? ''
      : `The model cited more than ${maxEvidence} locations for a finding: ${plural(placesLeftOut, 'location')} omitted.`,
  ].filter((note) => note !== '')
}

/** Parses `{path, line, quote}` or `path:line`. Missing values make verification fail. */
function readEvidence(value: unknown): ClaimedEvidence {
  const [, path = '', line = ''] =
    typeof value === 'string'
      ? (/^(.+?):(\d+)/.exec(value.trimStart()) ?? [])
      : ['', textOf(value, 'path', 'file', 'file_path'), textOf(value, 'line', 'line_number', 'start_line')]
  return {
    path: path.replace(/^\.\//, ''),
    line: Number.parseInt(line, 10),
    quote: textOf(value, 'quote', 'text', 'code', 'snippet'),
  }
}

function field(value: unknown, ...names: string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([name]) => names.includes(name))?.[1]
}

function textOf(value: unknown, ...names: string[]): string {
  const found = field(value, ...names)
  return typeof found === 'string' ? found.trim() : typeof found === 'number' ? String(found) : ''
}

export interface VerifyOptions {
  documents: Documents
  inScope(path: string): boolean
  signal: AbortSignal
}

/**
 * Verifies all locations. Evidence that does not exist is dropped and counted, and so are findings without other
 * evidence.
 */
export async function verifyClaims(
  claims: Claims,
  { documents, inScope, signal }: VerifyOptions,
): Promise<VerifiedFindings> {
  const texts = new Map<string, Promise<{ path: string; lines: string[] } | undefined>>()
  const result: VerifiedFindings = { findings: [], checked: 0, dropped: 0, findingsDropped: 0 }

  async function linesOf(path: string): Promise<{ path: string; lines: string[] } | undefined> {
    try {
      const document = await documents.read(path, signal)
      return { path: document.path, lines: document.text.split('\n') }
    } catch (error) {
      signal.throwIfAborted()
      if (toFailure(error).code === 'internal') throw error
      // A file that cannot be read is not evidence.
      return undefined
    }
  }

  async function verify({ path, line, quote }: ClaimedEvidence): Promise<Evidence | undefined> {
    if (path === '' || !Number.isInteger(line) || line < 1) return undefined
    const reading = texts.get(path) ?? linesOf(path)
    texts.set(path, reading)
    const file = await reading
    const text = file?.lines[line - 1]
    if (!file || text === undefined || text.trim() === '' || !inScope(file.path)) return undefined
    return containsQuote(file.lines, line, quote) ? { path: file.path, line, text: truncateLine(text) } : undefined
  }

  for (const { title, detail, confidence, evidence: claimedEvidence } of claims.findings) {
    const found: Evidence[] = []
    for (const claimed of claimedEvidence) {
      const evidence = await verify(claimed)
      if (evidence) found.push(evidence)
      else result.dropped += 1
    }
    result.checked += found.length
    if (found.length > 0)
      result.findings.push({
        title: title || `${found[0]?.path}:${found[0]?.line}`,
        detail,
        confidence,
        evidence: found,
      })
    else result.findingsDropped += 1
  }
  return result
}

/**
 * Returns whether the file contains the quoted lines at a location, ignoring whitespace and line numbers added by
 * tools. Without a quote, the location is enough.
 */
function containsQuote(lines: readonly string[], line: number, quote: string): boolean {
  const quoted = quote
    .split('\n')
    .map(plain)
    .filter((one) => one !== '')
  const fileLines = lines
    .slice(line - 1, line - 1 + quoted.length * 2)
    .map(plain)
    .filter((one) => one !== '')
  return quoted.every((one, index) => {
    const text = fileLines[index] ?? ''
    return text.includes(one) || text.includes(plain(one.replace(/^(?:>>> )?\d+[:|]/, '')))
  })
}

const plain = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/(?:…|\.\.\.)$/, '')
