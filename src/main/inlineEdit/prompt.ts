import { inlineEditLimits } from '../../shared/agent/contextAllocation.ts'
import { ToolError } from '../../shared/errors.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import type { InlineEditParams } from '../../shared/agent/inlineEdit.ts'
import type { ChatMessage } from '../model/modelClient.ts'
import { plural } from '../../shared/text/plural.ts'

/**
 * Above this number of lines, the prompt also offers SEARCH/REPLACE blocks as an answer format. Small models confuse
 * the two formats.
 */
const linesForBlocks = 80

const rules = {
  replace:
    'You edit text in a code editor. Answer with the new text for the selected lines, complete, in one fenced code block. ' +
    'Do not repeat the lines before and after the selection. Keep indentation and style. No explanation.',
  insert:
    'You write text in a code editor. Answer with the text to insert at the cursor, in one fenced code block. ' +
    'Do not repeat the lines before and after the cursor. Keep indentation and style. No explanation.',
  blocks:
    'If few lines change, you may answer with blocks instead: "<<<<<<< SEARCH", the old lines, "=======", the new lines, ">>>>>>> REPLACE".',
} as const

/**
 * Builds the messages of an inline edit. Works without tools.
 * @param texts.definitions text about the names that the selection uses; included if it fits
 * @param texts.instructions instructions of the user and the folder for this file
 * @param contextWindow in tokens; undefined if unknown
 * @throws ToolError too_large if the selected lines do not fit the context window
 */
export function inlineEditMessages(
  edit: InlineEditParams,
  { definitions, instructions }: { definitions: string; instructions: string },
  contextWindow: number | undefined,
  surroundingShare = 1,
): ChatMessage[] {
  const limits = inlineEditLimits(contextWindow)
  const selection = edit.selection?.join('\n') ?? ''
  if (selection.length > limits.selection)
    throw new ToolError(
      'too_large',
      `The selection has ${plural(selection.length, 'character')}. The model's context has room for ${formatNumber(limits.selection)}.`,
      'Select fewer lines, or choose a model with a larger context.',
    )
  const { before, after } = surroundings(edit, Math.floor(limits.surrounding * surroundingShare))
  const long = edit.selection !== null && edit.selection.length > linesForBlocks
  const system = [edit.selection === null ? rules.insert : rules.replace, long ? rules.blocks : ''].join(' ').trim()
  const context = [
    // The instructions are about the code. The rules come last, because they are about the format of the answer.
    surroundingShare === 0 ? '' : tagged('instructions', instructions),
    `File: ${edit.path}${edit.language === '' ? '' : ` (${edit.language})`}`,
    definitions !== '' && definitions.length <= limits.definitions * surroundingShare
      ? tagged('definitions', definitions)
      : '',
    tagged('before', before),
    edit.selection === null ? '' : tagged('selection', selection),
    tagged('after', after),
  ].filter((part) => part !== '')
  const [first, ...later] = [...edit.earlier.map(({ instruction }) => instruction), edit.instruction]
  const answers = edit.earlier.map(({ lines }) => fenced(lines))
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: [...context, `Instruction: ${first}`].join('\n\n') },
  ]
  for (const [index, instruction] of withinLimit(answers, later, limits.earlier))
    messages.push(
      { role: 'assistant', content: answers[index] ?? '' },
      {
        role: 'user',
        content: `Change your answer: ${instruction}\nAnswer with the whole new text in one fenced code block.`,
      },
    )
  return messages
}

/**
 * Returns the latest instructions whose earlier answers fit into the limit, with their index. Always includes the last
 * one.
 */
function withinLimit(answers: readonly string[], instructions: readonly string[], limit: number): [number, string][] {
  let first = instructions.length
  let size = 0
  while (first > 0) {
    size += answers[first - 1]?.length ?? 0
    if (size > limit && first < instructions.length) break
    first -= 1
  }
  return instructions.flatMap((instruction, index): [number, string][] =>
    index >= first ? [[index, instruction]] : [],
  )
}

/** Selects whole lines around the selection, two thirds of them before it. */
function surroundings({ before, after }: InlineEditParams, limit: number): { before: string; after: string } {
  const wanted = Math.max(Math.floor(limit * (2 / 3)), limit - after.length)
  const lead = lastLines(before, wanted)
  return { before: lead, after: firstLines(after, limit - lead.length) }
}

function lastLines(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.indexOf('\n', text.length - limit - 1)
  return start === -1 ? '' : text.slice(start + 1)
}

function firstLines(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = limit <= 0 ? -1 : text.lastIndexOf('\n', limit)
  return end <= 0 ? '' : text.slice(0, end)
}

function tagged(name: string, text: string): string {
  return text.trim() === '' ? '' : `<${name}>\n${text}\n</${name}>`
}

function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.map((line) => /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0))
  const fence = '`'.repeat(longest + 1)
  return [fence, ...lines, fence].join('\n')
}

/** Texts of the prompt that reveal an answer that repeats it. */
export const promptPhrases: readonly string[] = ['Instruction: ', '<selection>\n', rules.replace, rules.insert]
