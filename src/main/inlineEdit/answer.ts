import type { InlineEditParams } from '../../shared/agent/inlineEdit.ts'
import { ToolError } from '../../shared/errors.ts'
import { hasBlocks } from '../edit/searchReplace.ts'
import { indentAnswer } from './answerIndentation.ts'
import { patchedText } from './patchedText.ts'
import { promptPhrases } from './prompt.ts'
import { quote } from './quote.ts'

/** Matches the start of a refusal. */
const refusal =
  /^(?:i['’]?m (?:sorry|unable|not able)|i am (?:sorry|unable|not able)|sorry\b|i can(?:['’]?t|not)\b|unfortunately\b|as an ai\b)/i

/**
 * Reads the lines of a complete answer: the code in a fence, the whole text, or SEARCH/REPLACE blocks applied to the
 * selection.
 * @throws ToolError with a message for the user if the answer has no usable lines; nothing may be changed then
 */
export function answerLines(answer: string, edit: InlineEditParams): string[] {
  const text = answer.replaceAll('\r\n', '\n')
  if (text.trim() === '')
    throw new ToolError(
      'no_change',
      'The model sent an empty answer. Nothing was changed.',
      'Send the instruction again, or describe the change differently.',
    )
  if (hasBlocks(text)) return patched(text, '', edit) ?? []
  const code = codeOf(text, edit)
  if (repeatsPrompt(code.text))
    throw new ToolError(
      'no_change',
      'The model repeated the prompt instead of an edit. Nothing was changed.',
      'Send the instruction again, or choose another model.',
    )
  if (!code.fenced && refusal.test(code.text.trim()))
    throw new ToolError(
      'refused',
      `The model did not edit the text: "${quote(code.text)}"`,
      'Describe the change differently, or choose another model.',
    )
  if (!code.fenced && isProse(code.text, edit)) throw explanationError(code.text)
  const lines = patched(code.text, code.info, edit) ?? fitted(code.text.split('\n'), edit)
  if (lines.length === 0 && edit.selection === null)
    throw new ToolError('no_change', 'The model sent an empty answer. Nothing was changed.', 'Describe what to insert.')
  if (edit.selection !== null && lines.join('\n') === edit.selection.join('\n')) throw unchanged()
  return lines
}

/** Reads the complete lines of an answer that is still being streamed. Never throws; may be empty. */
export function partialLines(answer: string, edit: InlineEditParams): string[] {
  const text = answer.replaceAll('\r\n', '\n')
  if (hasBlocks(text)) return partialBlocks(text, edit)
  const code = codeOf(text.slice(0, text.lastIndexOf('\n') + 1), edit)
  if (/^(?:diff|patch)$/.test(code.info)) return []
  // A bare answer may turn out to be sentences before the fence.
  const [first = ''] = code.text.trimStart().split('\n')
  if (!code.fenced && (isSentence(first) || refusal.test(first))) return []
  return fitted(code.text.split('\n'), edit)
}

/** Whether a text for a code file consists only of sentences. */
function isProse(text: string, { language, path }: InlineEditParams): boolean {
  if (language === '' || /^(?:markdown|mdx|plaintext|html|latex|restructuredtext)$/.test(language)) return false
  if (/\.(?:md|txt|rst|adoc|tex|html?)$/i.test(path)) return false
  return text.split('\n').every((line) => line.trim() === '' || isSentence(line))
}

/** Whether an answer has neither a fence nor blocks, so that it may be a message instead of code. */
export function isBareAnswer(answer: string, edit: InlineEditParams): boolean {
  return !hasBlocks(answer) && !codeOf(answer.replaceAll('\r\n', '\n'), edit).fenced
}

/** Creates the error for an answer that is a message to the user. */
export function explanationError(text: string): ToolError {
  return new ToolError(
    'no_change',
    `The model answered with an explanation instead of the new text: "${quote(text)}" Nothing was changed.`,
    'Describe the change differently, or ask in the chat.',
  )
}

function unchanged(): ToolError {
  return new ToolError('no_change', 'The model returned the text unchanged.', 'Describe the change differently.')
}

/** Indents the lines, and restores the selection's blank lines at both ends. */
function fitted(answer: readonly string[], edit: InlineEditParams): string[] {
  const lines = withoutBlankEnds(withoutSurroundings(withoutBlankEnds(answer), edit))
  if (lines.length === 0) return []
  const selection = edit.selection ?? []
  const written = indentAnswer(lines, edit)
  const indented = /space/i.test(edit.instruction) ? written : withTrailingSpace(written, selection)
  const firstText = selection.findIndex((line) => line.trim() !== '')
  if (firstText === -1) return indented
  const lastText = selection.findLastIndex((line) => line.trim() !== '')
  return [...selection.slice(0, firstText), ...indented, ...selection.slice(lastText + 1)]
}

/** Restores spaces at the ends of repeated lines. Models omit them, but in Markdown they break the line. */
function withTrailingSpace(lines: readonly string[], selection: readonly string[]): string[] {
  const originals = new Map<string, string>()
  for (const line of selection) {
    const bare = line.trimEnd()
    // The line occurs with and without spaces, so the model's line is right either way.
    originals.set(bare, originals.has(bare) && originals.get(bare) !== line ? bare : line)
  }
  return lines.map((line) => (line.trim() === '' ? line : (originals.get(line) ?? line)))
}

function withoutBlankEnds(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1)
}

/** Maximum number of repeated lines around the selection. The comparison takes quadratic time. */
const maxOverlap = 1000

/** Removes lines around the selection that the model repeated, if it repeated at least two that are not blank. */
function withoutSurroundings(lines: readonly string[], { before, after, selection }: InlineEditParams): string[] {
  const start = overlap(before.split('\n'), lines, selection?.[0])
  const rest = lines.slice(start)
  const end = overlap(after.split('\n').toReversed(), rest.toReversed(), selection?.at(-1))
  return rest.slice(0, rest.length - end)
}

/**
 * Returns how many of the first `lines` are the last lines of `context`.
 * @param own the selected line next to `context`
 */
function overlap(context: readonly string[], lines: readonly string[], own: string | undefined): number {
  const last = context.findLastIndex((line) => line.trim() !== '')
  const tail = context.slice(Math.max(0, last + 1 - maxOverlap), last + 1)
  for (let size = Math.min(tail.length, lines.length); size >= 2; size -= 1) {
    const same = tail.slice(-size).every((line, index) => line.trimEnd() === lines[index]?.trimEnd())
    if (!same) continue
    const texts = lines.slice(0, size).filter((line) => line.trim() !== '')
    if (texts.length >= 2 && texts[0]?.trim() !== own?.trim()) return size
  }
  return 0
}

function repeatsPrompt(text: string): boolean {
  return promptPhrases.filter((phrase) => text.includes(phrase)).length >= 2
}

/**
 * Applies blocks or a diff to the selection; null if the code is neither.
 * @throws ToolError if it does not match the selection, or changes nothing
 */
function patched(code: string, language: string, edit: InlineEditParams): string[] | null {
  if (edit.selection === null) {
    if (!hasBlocks(code)) return null
    throw new ToolError(
      'no_match',
      'The model answered with SEARCH/REPLACE blocks, but no text is selected. Nothing was changed.',
      'Select the lines to change, or describe the text to insert.',
    )
  }
  const lines = patchedLines(code, language, edit.selection)
  if (lines?.join('\n') === edit.selection.join('\n')) throw unchanged()
  return lines
}

function patchedLines(code: string, language: string, selection: readonly string[]): string[] | null {
  const result = patchedText(code, language, `${selection.join('\n')}\n`, 'selection')
  if (result === null || result === '') return result === null ? null : []
  return (result.endsWith('\n') ? result.slice(0, -1) : result).split('\n')
}

function partialBlocks(text: string, edit: InlineEditParams): string[] {
  const end = text.lastIndexOf('\n>>>>>')
  if (edit.selection === null || end === -1) return []
  const lineEnd = text.indexOf('\n', end + 1)
  if (lineEnd === -1) return []
  try {
    return patchedLines(text.slice(0, lineEnd), '', edit.selection) ?? []
  } catch {
    // The complete answer is read again, and its error is reported.
    return []
  }
}

/** The code in an answer. */
interface AnswerCode {
  text: string
  /** Whether it was in a fence or tag. Otherwise it is the whole answer, which may be prose. */
  fenced: boolean
  /** First word after the opening fence in lower case, '' if there is none. */
  info: string
}

interface Fence {
  /** The first word after the opening fence, in lower case. */
  info: string
  lines: string[]
}

const fenceStart = /^( {0,3})(`{3,}|~{3,}) *([^\s`]*)/

/**
 * Parses a fence line, whose info string cannot contain backticks. @returns an empty list if the line is not a fence
 */
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
 * @param path also shows the language: models write `ts` as often as `typescript`
 */
function codeOf(answer: string, { language, path }: { language: string; path: string }): AnswerCode {
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
function isSentence(line: string): boolean {
  return line.length < 2000 && sentence.test(line.trim())
}

/** Returns the content of `<selection>` or `<replacement>` if the text contains nothing else. */
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
