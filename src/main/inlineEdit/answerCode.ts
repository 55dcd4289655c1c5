/** The part of an answer that is code. */
export interface AnswerCode {
  text: string
  /** Whether it was in a fence or tag. Otherwise it is the whole answer, which may be prose. */
  fenced: boolean
  /** First word after the opening fence in lower case, '' if there is none. */
  info: string
}

interface Fence {
  /** First word after the opening marks, in lower case. */
  info: string
  lines: string[]
}

const fenceStart = /^( {0,3})(`{3,}|~{3,}) *([^\s`]*)/

/** Reads the line of a fence; its info cannot contain backticks. @returns no parts if the line is none */
function fenceLine(line = ''): readonly string[] {
  const match = fenceStart.exec(line)
  return match && !line.includes('`', match[0].length) ? match : []
}
/** A sentence before unfenced code, such as "Here is the updated function:". */
const preface =
  /^(?:sure|certainly|of course|okay|ok|here|below|the (?:updated|modified|new|changed))\b[^\n]*[:!.]\s*$/i

/**
 * Finds the code of an answer. Ignores prose around fences, and chooses the first fence in the file's language, or the
 * first. A fence that is not closed extends to the end.
 * @param path shows the language too: models write `ts` as often as `typescript`
 */
export function codeOf(answer: string, { language, path }: { language: string; path: string }): AnswerCode {
  const text = withoutTag(answer)
  const fences = fencesOf(text.split('\n'), /^(?:markdown|mdx?)$/i.test(language))
  const names = [language.toLowerCase(), /\.(\w+)$/.exec(path)?.[1]?.toLowerCase()]
  const inLanguage = fences.find(({ info, lines }) => lines.length > 0 && info !== '' && names.includes(info))
  const chosen = inLanguage ?? fences.find(({ lines }) => lines.some((line) => line.trim() !== '')) ?? fences[0]
  if (chosen) return { text: withoutTag(chosen.lines.join('\n')), fenced: true, info: chosen.info }
  if (text !== answer) return { text, fenced: true, info: '' }
  const [first = '', ...rest] = text.trimStart().split('\n')
  const prefaced = preface.test(first) && rest.join('').trim() !== ''
  return { text: prefaced ? rest.join('\n') : text, fenced: false, info: '' }
}

const sentence = /^(?:[-*] |\d+\. )?\p{Lu}[\p{L}\p{N}'’,"“”`()/-]*(?: [\p{L}\p{N}'’,"“”`()/;:.-]+){2,}[.:!?)]$/u

/** Whether a line is a sentence and not code. */
export function isSentence(line: string): boolean {
  return line.length < 2000 && sentence.test(line.trim())
}

/** Returns the content of `<selection>` or `<replacement>` if it is all there is. */
function withoutTag(text: string): string {
  const trimmed = text.trim()
  const tag = /^<(selection|replacement|answer)>\n?/.exec(trimmed)
  const closing = `</${tag?.[1]}>`
  if (!tag || !trimmed.endsWith(closing)) return text
  return trimmed.slice(tag[0].length, -closing.length).replace(/\n$/, '')
}

/** @param nested whether fences can contain fences, as in Markdown files */
function fencesOf(lines: readonly string[], nested: boolean): Fence[] {
  const fences: Fence[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', marks, info = ''] = fenceLine(lines[at])
    if (marks === undefined) continue
    const end = (nested ? closingFence(lines, at, marks, true) : undefined) ?? closingFence(lines, at, marks, false)
    const content = lines.slice(at + 1, end ?? lines.length)
    fences.push({
      info: info.toLowerCase(),
      lines: indent === '' ? content : content.map((line) => unindent(line, indent)),
    })
    if (end === undefined) break
    at = end
  }
  return fences
}

function closingFence(lines: readonly string[], start: number, marks: string, nested: boolean): number | undefined {
  let depth = 0
  for (let at = start + 1; at < lines.length; at += 1) {
    const [, , found = '', info = ''] = fenceLine(lines[at])
    if (found[0] !== marks[0] || found.length < marks.length) continue
    if (info !== '') depth += nested ? 1 : 0
    else if (depth === 0) return at
    else depth -= 1
  }
  return undefined
}

function unindent(line: string, indent: string): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line
}
