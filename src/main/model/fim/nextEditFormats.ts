import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import { ModelError } from '../modelClient.ts'
import type { FimClient } from './fimClient.ts'
import { readAnswer, splitTokens, restoreTokens } from './fimPromptFormats.ts'

/** The context of the next edit: an excerpt, and what the user changed before. */
export interface NextEditInput {
  path: string
  /** Lines before the excerpt, as context. */
  above: readonly string[]
  /** The excerpt, which the model rewrites. */
  lines: readonly string[]
  below: readonly string[]
  /** 1-based line of the file at which the excerpt starts. */
  firstLine: number
  /** Position of the cursor in the excerpt: index of the line, and characters before it. */
  cursor: { line: number; character: number }
  /** Earlier edits, oldest first. */
  edits: readonly RecentEdit[]
}

/** Lines that the user replaced. `line` is 1-based. */
export interface RecentEdit {
  path: string
  line: number
  before: readonly string[]
  after: readonly string[]
}

/** A published format of prompts and answers for predicting the next edit. */
export interface NextEditFormat {
  name: string
  /** Matches names of models, in lower case. The first format that matches applies. */
  match: RegExp
  /** Where the maker documents the format. */
  source: string
  prompt(input: NextEditInput): string
  stop: readonly string[]
  /** Control tokens that text of the user must not contain. */
  tokens: readonly string[]
  /** Whether a streamed answer is complete. */
  isComplete(answer: string): boolean
  /** Returns the new lines of the excerpt; null if the model has no edit. @param ended whether the model stopped itself */
  read(answer: string, ended: boolean): string[] | null
}

const sweepTokens = ['<|file_sep|>', '<|endoftext|>', '<|cursor|>', '<|repo_name|>']
const zetaTokens = [
  '<[fim-suffix]>',
  '<[fim-prefix]>',
  '<[fim-middle]>',
  '<[end▁of▁sentence]>',
  '<filename>',
  '<|user_cursor|>',
  '<|marker_1|>',
  '<|marker_2|>',
]

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

export const nextEditFormats: readonly NextEditFormat[] = [
  {
    name: 'Zeta 2.1',
    match: /zeta[-_ ]?2[._]1/,
    source: 'https://huggingface.co/zed-industries/zeta-2.1',
    prompt: (input) =>
      `${zetaStart(input)}<|marker_1|>\n${text(withCursor(input, '<|user_cursor|>'))}<|marker_2|>\n<[fim-middle]>`,
    stop: ['<[fim-suffix]>', '<[end▁of▁sentence]>'],
    tokens: zetaTokens,
    isComplete: (answer) => answer.includes('<|marker_2|>'),
    read(answer) {
      const start = answer.indexOf('<|marker_1|>')
      const end = answer.lastIndexOf('<|marker_2|>')
      if (start === -1 || end < start) return null
      return linesOf(answer.slice(start + '<|marker_1|>'.length, end).replace(/^\n/, ''))
    },
  },
  {
    name: 'Zeta 2',
    match: /zeta/,
    source: 'https://github.com/zed-industries/zed/blob/main/crates/zeta_prompt/src/zeta_prompt.rs (seed_coder)',
    prompt: (input) =>
      `${zetaStart(input)}<<<<<<< CURRENT\n${text(withCursor(input, '<|user_cursor|>'))}=======\n<[fim-middle]>`,
    stop: ['>>>>>>> UPDATED', '<[end▁of▁sentence]>'],
    tokens: zetaTokens,
    isComplete: (answer) => answer.includes('>>>>>>> UPDATED'),
    read(answer, ended) {
      const [updated = ''] = answer.split('>>>>>>> UPDATED')
      if (!ended || updated.trim() === '' || updated.startsWith('NO_EDITS')) return null
      return linesOf(updated)
    },
  },
  {
    name: 'Sweep Next-Edit 2',
    match: /sweep[-_]next[-_]edit[-_]v2/,
    source: 'https://huggingface.co/sweepai/sweep-next-edit-v2-7B (inference.py)',
    prompt(input) {
      const { path, above, lines, below, firstLine, edits } = input
      const range = `${path}:${firstLine}:${firstLine + lines.length - 1}`
      return [
        `<|file_sep|>${path}\n${text([...above, ...lines, ...below])}`,
        ...edits.map(
          (edit) =>
            `<|file_sep|>${edit.path}:${edit.line}:${edit.line + edit.after.length - 1}\noriginal:\n${text(edit.before)}updated:\n${text(edit.after)}`,
        ),
        `<|file_sep|>original/${range}\n${text(beforeLastEdit(input))}`,
        `<|file_sep|>current/${range}\n${text(withCursor(input, '<|cursor|>'))}`,
        `<|file_sep|>updated/${range}\n`,
      ].join('')
    },
    stop: ['<|file_sep|>', '<|endoftext|>'],
    tokens: sweepTokens,
    isComplete: (answer) => answer.includes('<|file_sep|>'),
    read: readSweep,
  },
  {
    name: 'Sweep Next-Edit',
    match: /sweep/,
    source: 'https://blog.sweep.dev/posts/oss-next-edit',
    prompt(input) {
      const { path, lines, edits } = input
      return [
        ...edits.map(
          (edit) => `<|file_sep|>${edit.path}.diff\noriginal:\n${text(edit.before)}updated:\n${text(edit.after)}`,
        ),
        `<|file_sep|>original/${path}\n${text(beforeLastEdit(input))}`,
        `<|file_sep|>current/${path}\n${text(lines)}`,
        `<|file_sep|>updated/${path}\n`,
      ].join('')
    },
    stop: ['<|file_sep|>', '<|endoftext|>'],
    tokens: sweepTokens,
    isComplete: (answer) => answer.includes('<|file_sep|>'),
    read: readSweep,
  },
]

/** Returns the format of a model; undefined if it does not predict edits. */
export function nextEditFormat(model: string): NextEditFormat | undefined {
  const name = model.toLowerCase()
  return nextEditFormats.find(({ match }) => match.test(name))
}

/** Builds the prompt, with the tokens in the user's text split. */
export function nextEditPrompt(format: NextEditFormat, input: NextEditInput): string {
  const clean = (lines: readonly string[]) => lines.map((line) => splitTokens(line, format))
  const { lines, cursor } = input
  const before = splitTokens((lines[cursor.line] ?? '').slice(0, cursor.character), format)
  return format.prompt({
    ...input,
    above: clean(input.above),
    lines: clean(lines),
    below: clean(input.below),
    cursor: { line: cursor.line, character: before.length },
    edits: input.edits.map((edit) => ({ ...edit, before: clean(edit.before), after: clean(edit.after) })),
  })
}

/** Suffix first, then edits and the lines before the excerpt. */
function zetaStart({ path, above, below, edits }: NextEditInput): string {
  const history = edits.map(
    (edit) =>
      `--- a/${edit.path}\n+++ b/${edit.path}\n${text(edit.before.map((line) => `-${line}`))}${text(edit.after.map((line) => `+${line}`))}`,
  )
  return `<[fim-suffix]>\n${text(below)}<[fim-prefix]><filename>edit_history\n${history.join('')}\n<filename>${path}\n${text(above)}`
}

function withCursor({ lines, cursor }: NextEditInput, marker: string): string[] {
  return lines.map((line, at) =>
    at === cursor.line ? `${line.slice(0, cursor.character)}${marker}${line.slice(cursor.character)}` : line,
  )
}

/** Returns the excerpt as it was before the latest edit, if that edit is in it. */
function beforeLastEdit({ path, lines, firstLine, edits }: NextEditInput): string[] {
  const edit = edits.at(-1)
  const at = edit ? edit.line - firstLine : -1
  if (!edit || edit.path !== path || at < 0 || at + edit.after.length > lines.length) return [...lines]
  return lines.toSpliced(at, edit.after.length, ...edit.before)
}

function readSweep(answer: string, ended: boolean): string[] | null {
  const updated = readAnswer(answer, { tokens: sweepTokens.filter((token) => token !== '<|cursor|>') })
  // A truncated answer would delete the remaining lines.
  return !ended || updated.trim() === '' ? null : linesOf(updated)
}

function linesOf(answer: string): string[] {
  return answer
    .replaceAll(/<\|(?:user_)?cursor\|>/g, '')
    .replace(/\n$/, '')
    .split('\n')
}

/** Maximum tokens of an answer: enough for the 21 lines of the excerpt, even if lines are long or added. */
const maxTokens = 1024

/**
 * Requests the new lines of an excerpt.
 * @returns null if the model suggests no edit or did not complete it
 * @throws ModelError `bad_request` for a model with an unknown format; AbortError
 */
export async function predictEdit(
  client: Pick<FimClient, 'continueRaw'>,
  choice: ModelChoice,
  input: NextEditInput,
  signal: AbortSignal,
): Promise<string[] | null> {
  const format = nextEditFormat(choice.model)
  if (!format)
    throw new ModelError(
      'bad_request',
      `${choice.model} does not predict edits.`,
      'Choose a model for next edits, for example Zeta 2.1 or Sweep Next-Edit, or none.',
    )
  const { stop, isComplete } = format
  const prompt = nextEditPrompt(format, input)
  const { text, ended } = await client.continueRaw(choice, { prompt, stop, maxTokens, isComplete }, signal)
  return format.read(text, ended)?.map((line) => restoreTokens(line, format)) ?? null
}
