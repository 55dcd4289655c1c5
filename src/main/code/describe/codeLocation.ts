import { editDistance } from '../../base/editDistance.ts'
import { mostSimilarLines } from '../../edit/similarLines.ts'
import { wholeLines } from '../../edit/tolerantMatching.ts'

// A location that looks like code is matched as text. It is never ranked as a description, because its words also
// occur in definitions that contain a different statement.

/** Lines of a file that resemble the code in a location. Lines are 1-based and inclusive. */
export interface AlikeLines {
  startLine: number
  endLine: number
  text: string
  /** 1 if the lines differ from the code only in whitespace. */
  likeness: number
}

/** Minimum similarity of lines that an edit may change, and minimum lead over the next candidate. */
const minLikeness = 0.9
const minLead = 0.1
/** Number of candidates that are compared exactly. */
const maxCompared = 8
const maxLineLength = 400

const stringLiteral = /"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)*'/g
const lineComment = /^\s*(?:\/\/|\/\*|<!--|#|--\s)/
/** Words that occur in sentences but are rare as identifiers. */
const proseWord = /\b(?:the|that|which|whether)\b/i
const codeSigns: readonly RegExp[] = [
  // Operators, braces, and ends of statements and headers.
  /[={}]|&&|\|\||->|::|;\s*$|;\s|\w:\s*$/,
  // Calls with arguments, member calls, indexes, attributes, and fields with a value.
  /\w\([^)\s]|\.\w+\(|\w\[|^\s*@\w|^\s*(?:[\w-]+|"")\s*:\s*\S+$/,
  /[\w)]\s[+*%<>]\s[\w(]/,
  /^(?:return|throw|raise|yield|await|elif|goto|async def)\s+\S/,
  /^(?:let|const|var|def|fn|func|function|impl|class|struct|interface|trait|enum)\s+[\w$]+$/,
  /^(?:from\s+\S+\s+import\b|import\s+[\w.]+(?:\s+as\s+\w+)?$)/,
  // Members, membership tests, and headers without their end.
  /^[!*&]?[\w$]+(?:\??\.[\w$]+)+[,?]?$/,
  /^(?:not\s+)?[\w$.]+\s+(?:not\s+)?in\s+[\w$.]+$/,
  /^(?:for|foreach)\s+[\w$]+(?:\s*,\s*[\w$]+)*\s+(?:in|of)\s+[\w$.]+$/,
  /^(?:if|elif|while|until|unless|assert|del|global|nonlocal|lambda|except|catch)\s+(?:not\s+)?[\w$.]+$/,
]
const statementKeywords = ['return', 'throw', 'raise', 'yield', 'await', 'break', 'continue']

export function looksLikeCode(location: string): boolean {
  if (lineComment.test(location)) return true
  const bare = location.trim().replaceAll(stringLiteral, '""')
  return !proseWord.test(bare) && (codeSigns.some((sign) => sign.test(bare)) || startsWithMisspeltKeyword(bare))
}

/** Whether the first word is a keyword with two letters swapped. */
function startsWithMisspeltKeyword(code: string): boolean {
  const word = /^[a-z]+/.exec(code)?.[0] ?? ''
  return statementKeywords.some((keyword) => keyword !== word && letters(keyword) === letters(word))
}

const letters = (word: string): string => Array.from(word).toSorted().join('')

/** Removes blank lines at the start and whitespace at the end. */
function withoutBlankEdges(code: string): string {
  const text = code.trimEnd()
  return text.slice(text.lastIndexOf('\n', text.length - text.trimStart().length) + 1)
}

/**
 * Returns the lines most similar to a piece of code, best first, at most three; `chosen` are the lines it certainly
 * means.
 */
export function findAlikeLines(text: string, code: string): { chosen: AlikeLines | null; nearest: AlikeLines[] } {
  const wanted = wholeLines(withoutBlankEdges(code))
  const nearest = mostSimilarLines(text, wanted.join('\n'), maxCompared)
    .map(({ line, lines }): AlikeLines => ({
      startLine: line,
      endLine: line + lines.length - 1,
      text: lines.map((one) => one.trim()).join(' '),
      likeness: likenessOf(lines, wanted),
    }))
    .toSorted((a, b) => b.likeness - a.likeness || a.startLine - b.startLine)
  const [best, next] = nearest
  const nextLikeness = next?.likeness ?? 0
  const isClear =
    best !== undefined &&
    best.likeness >= minLikeness &&
    (best.likeness - nextLikeness >= minLead || (best.likeness === 1 && nextLikeness < 1))
  return { chosen: isClear ? best : null, nearest: nearest.slice(0, 3) }
}

/** Returns the share of equal characters, from 0 to 1, ignoring insignificant whitespace. */
function likenessOf(lines: readonly string[], wanted: readonly string[]): number {
  let different = 0
  let length = 0
  for (const [index, own] of wanted.entries()) {
    const [a, b] = [withoutSpace(own), withoutSpace(lines[index] ?? '')]
    different += editDistance(a, b)
    length += Math.max(a.length, b.length)
  }
  return length === 0 ? 0 : 1 - different / length
}

function withoutSpace(line: string): string {
  return line
    .slice(0, maxLineLength)
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([^\w\s]) ?/g, '$1')
}
