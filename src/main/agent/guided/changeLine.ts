import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import type { InlineEditParams } from '../../../shared/agent/inlineEdit.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { Endpoints } from '../../model/endpoints/endpointsTypes.ts'
import { chooseLine, candidateLines } from './chooseLine.ts'
import type { GuidedFolder } from './guidedFolder.ts'
import { type GuidedModel, createGuidedModel } from './guidedModel.ts'
import { changePrompt, changeSchema, newLinePrefix } from './questions.ts'
import { lineEdits } from './taskPieces.ts'
import type { GuidedCall, ToolsetCalls } from './toolsetCalls.ts'

/** Maximum characters of a file or a result in a prompt. */
export const maxExcerpt = 3000

interface ChangeDeps {
  model: GuidedModel
  calls: ToolsetCalls
  folder: GuidedFolder
  signal: AbortSignal
}

/** Lets the model choose and rewrite one line of a file. @returns undefined if it changes nothing */
export async function changeLine(
  { model, calls, folder, signal }: ChangeDeps,
  path: string,
  task: string,
): Promise<GuidedCall | undefined> {
  const text = await textOf(folder, path, signal)
  const edit = text === undefined ? undefined : await chooseChange(model, { path, text, task })
  return edit && calls.edit?.(path, edit.oldText, edit.newText)
}

/** The replacement of a text that occurs once. */
interface TextChange {
  oldText: string
  newText: string
}

/** Lets the model choose and rewrite one line of a text. @returns undefined if it changes nothing */
async function chooseChange(
  model: GuidedModel,
  { path, text, task }: { path: string; text: string; task: string },
): Promise<TextChange | undefined> {
  const lines = candidateLines(text, task, path)
  if (lines.length === 0) return undefined
  const excerpt = aroundLines(text, lines)
  const chosen = await chooseLine(model, { path, text: excerpt, task, lines })
  const prompt = changePrompt(path, excerpt, task)
  const { old, new: changed } = await model.fill(prompt, changeSchema(task, chosen === undefined ? lines : [chosen]))
  if (typeof old !== 'string' || typeof changed !== 'string') return undefined
  if (keepsMost(old, changed) && !isOtherText(old, changed, task)) return lineEdit(text, old, changed)
  // This schema only allows new lines made of the old one and words of the task.
  const edits = lineEdits(old, task)
  if (edits.length > 0) {
    const { new: edited } = await model.fill(prompt, changeSchema(task, [old], edits))
    if (typeof edited === 'string' && edits.includes(edited)) return lineEdit(text, old, edited)
  }
  // A small model often keeps the line once it has repeated its beginning.
  const [start = ''] = /^\S+/.exec(old) ?? []
  const rest = await model.endString(prompt, `${newLinePrefix(task, old)}${JSON.stringify(start).slice(1, -1)}`)
  return lineEdit(text, old, rest === undefined ? changed : start + rest)
}

/** Whether a new line has the punctuation of the old one, and replaces only a few adjacent words of it. */
function keepsMost(old: string, changed: string): boolean {
  const [before, after] = [wordsOf(old), wordsOf(changed)]
  const start = before.findIndex((word, at) => word !== after[at])
  const end = before.toReversed().findIndex((word, at) => word !== after[after.length - 1 - at])
  const replaced = start === -1 ? 0 : before.length - Math.min(before.length, after.length, start + end)
  return replaced <= maxReplaced && isSubsequence(punctuation(old), punctuation(changed))
}

/** Maximum number of words that a change of one line replaces. */
const maxReplaced = 3

const wordsOf = (line: string): string[] => line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
/** Ignores a closing comma or semicolon, which `lineEdit` adds. */
const punctuation = (line: string): string => line.replace(/[,;]$/, '').replaceAll(/[\p{L}\p{N}_\s]/gu, '')

function isSubsequence(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (character === part[at]) at += 1
  return at === part.length
}

/** Whether a new line repeats the task or shares no word with the old line, as small models write. */
function isOtherText(old: string, changed: string, task: string): boolean {
  const [before, after] = [new Set(wordsOf(old)), wordsOf(changed)]
  const isTask = after.length > 1 && wordsOf(task).join(' ').startsWith(after.join(' '))
  return after.length > 0 && (isTask || !after.some((each) => before.has(each)))
}

/** Reads a file. @returns undefined if it cannot be read */
export async function textOf(folder: GuidedFolder, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await folder.text(path, signal)
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

/** Reduces a long text to the lines on offer, each with two lines around it. */
function aroundLines(text: string, offered: readonly string[]): string {
  if (text.length <= maxExcerpt) return text
  const lines = text.split('\n')
  const shown = lines.map((line) => offered.includes(line.trim()))
  const near = (at: number) => [-2, -1, 0, 1, 2].some((distance) => shown[at + distance] === true)
  return lines
    .filter((_, at) => near(at))
    .join('\n')
    .slice(0, maxExcerpt)
}

/** Maximum number of lines added on each side to make an edit unique. */
const maxNeighbors = 20

/**
 * Returns the edit that replaces the first such line. Keeps its indentation and closing comma or semicolon, which small
 * models leave out. Includes neighboring lines until the text occurs once.
 * @param old the line without indentation
 * @returns undefined if nothing changes or the neighboring lines do not make it unique
 */
export function lineEdit(text: string, old: string, changed: string): TextChange | undefined {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.trim() === old)
  const line = lines[at]
  if (line === undefined) return undefined
  const closing = /[,;]$/.exec(old)?.[0] ?? ''
  const kept = closing !== '' && !/[,;]$/.test(changed.trim()) && changed.trim() !== '' ? closing : ''
  const newLine = line.slice(0, line.length - line.trimStart().length) + changed.trim() + kept
  if (newLine === line) return undefined
  for (let around = 0; around <= maxNeighbors; around++) {
    const above = lines.slice(Math.max(0, at - around), at)
    const below = lines.slice(at + 1, at + 1 + around)
    const oldText = [...above, line, ...below].join('\n')
    if (text.indexOf(oldText) === text.lastIndexOf(oldText))
      return { oldText, newText: [...above, newLine, ...below].join('\n') }
  }
  return undefined
}

/**
 * Lets a model change one line of the selection of an inline edit.
 * @returns undefined if its server cannot constrain answers, or nothing changes
 * @throws ModelError, AbortError
 */
export async function guidedLines(
  model: Endpoints['model'],
  choice: ModelChoice,
  { path, selection, instruction }: Pick<InlineEditParams, 'path' | 'selection' | 'instruction'>,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const { client, contextWindow, canGuide } = await model(choice, signal)
  if (!canGuide || selection === null) return undefined
  const guided = createGuidedModel(client, {
    model: choice.model,
    temperature: 0,
    urgency: 'person',
    ...(contextWindow !== undefined && { contextWindow }),
    signal,
  })
  const text = selection.join('\n')
  const change = await chooseChange(guided, { path, text, task: instruction })
  return change && text.replace(change.oldText, () => change.newText).split('\n')
}
