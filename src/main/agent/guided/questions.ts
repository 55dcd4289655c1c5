import type { JsonSchema } from '../../../shared/tools/tool.ts'
import type { ChatMessage } from '../../model/clients/modelClient.ts'
import { actDescriptions, acts, type Act } from './acts.ts'
import { newPathsIn, piecesOf } from './taskPieces.ts'
import { actExamples, answerExamples, changeExamples, kindExamples } from './examples.ts'

/** A question whose answer is one of a few names. */
export interface Question<T extends string> {
  names: readonly T[]
  /** @param reversed whether the examples are in reverse order: a small model prefers what it read last */
  prompt(task: string, reversed: boolean): ChatMessage[]
  /** Returns the beginning of the answer, up to the name. */
  begun(task: string): string
  /** Returns the schema of the answer, for servers that report no likelihoods. The name is in `field`. */
  schema(task: string): JsonSchema
  field: string
  /** Tasks without a meaning. What a model prefers for them is its bias, whatever the task. */
  emptyTasks: readonly string[]
}

// The prompts of guided turns. What stays comes first, so that servers reuse it.

/** The question without a meaning for an answer from a text. */
export const emptyQuestion = 'What does it say?'

/** The task without a meaning for a change of a line. */
export const emptyChange = 'Change the file.'

/** Whether a message is talk, or something to do. */
export const kindQuestion: Question<'talk' | 'work'> = {
  names: ['talk', 'work'],
  prompt: (message, reversed) => [
    {
      role: 'system',
      content:
        'You sort messages. work: something to do or to look up in the files of a folder, or a command. talk: anything else.',
    },
    ...inOrder(kindExamples, reversed).flatMap(({ message: asked, kind }): ChatMessage[] => [
      { role: 'user', content: asked },
      { role: 'assistant', content: JSON.stringify({ message: asked, kind }) },
    ]),
    { role: 'user', content: message },
  ],
  begun: (message) => `{"message":${JSON.stringify(message)},"kind":"`,
  schema: (message) => objectSchema({ message: { const: message }, kind: { enum: ['talk', 'work'] } }),
  field: 'kind',
  emptyTasks: ['', 'N/A', '...'],
}

/** What to do first for a task. */
export function actQuestion(offered: readonly Act[]): Question<Act> {
  return {
    names: offered,
    prompt: (task, reversed) => actPrompt(task, offered, reversed),
    begun: (task) => `{"task":${JSON.stringify(task)},"tool":"`,
    schema: (task) => objectSchema({ task: { const: task }, tool: { enum: [...offered] } }),
    field: 'tool',
    emptyTasks: ['', 'N/A', 'Do the task.', 'file.txt'],
  }
}

/** Returns the prompt for an act with its arguments. */
export function actPrompt(task: string, offered: readonly Act[], reversed = false): ChatMessage[] {
  const lines = acts.filter((act) => offered.includes(act)).map((act) => actDescriptions[act])
  const shown = actExamples.filter(({ step }) => offered.includes(step.act))
  return [
    {
      role: 'system',
      content: ['You are a coding agent. You repeat the task and then choose the tool that does it.', ...lines].join(
        '\n',
      ),
    },
    ...inOrder(shown, reversed).flatMap(({ task: asked, step: { act, ...args } }): ChatMessage[] => [
      { role: 'user', content: asked },
      { role: 'assistant', content: JSON.stringify({ task: asked, tool: act, ...args }) },
    ]),
    { role: 'user', content: task },
  ]
}

const inOrder = <T>(examples: readonly T[], reversed: boolean): readonly T[] =>
  reversed ? examples.toReversed() : examples

const shortText: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 }
const longText: JsonSchema = { type: 'string', minLength: 1, maxLength: 4000 }

/** Maximum number of texts to search for. */
const maxPieces = 200

/**
 * Returns the schema of an act with its arguments. A text to search for is a part of the task, and so is a new path if
 * the task names one: small models misspell what they copy.
 * @param paths files that exist, not empty
 */
export function stepSchema(task: string, act: Act, paths: readonly string[]): JsonSchema {
  const path: JsonSchema = { enum: [...paths] }
  const named = newPathsIn(task, paths)
  const newPath: JsonSchema = named.length > 0 ? { enum: named } : shortText
  const pieces = piecesOf(task).slice(0, maxPieces)
  const args: Readonly<Record<Act, Record<string, JsonSchema>>> = {
    read: { path },
    edit: { path },
    delete: { path },
    list: {},
    search: { text: pieces.length > 0 ? { enum: pieces } : shortText },
    create: { path: newPath, content: longText },
    rename: { path, to: newPath },
    run: { command: shortText },
  }
  return objectSchema({ task: { const: task }, tool: { const: act }, ...args[act] })
}

/** Returns the prompt for the change of one line. */
export function changePrompt(path: string, text: string, task: string): ChatMessage[] {
  const question = (file: string, content: string, asked: string) => `File ${file}:\n${content}\nTask: ${asked}`
  return [
    {
      role: 'system',
      content: 'You change one line of a file. You repeat the task, copy the old line and write the new line.',
    },
    ...changeExamples.flatMap((example): ChatMessage[] => [
      { role: 'user', content: question(example.path, example.text, example.task) },
      { role: 'assistant', content: JSON.stringify({ task: example.task, old: example.old, new: example.new }) },
    ]),
    { role: 'user', content: question(path, text, task) },
  ]
}

/** Returns the beginning of an answer to `changePrompt`, up to the old line. */
export const changeBegun = (task: string): string => `{"task":${JSON.stringify(task)},"old":"`

/** Returns the beginning of an answer to `changePrompt`, up to the new line. */
export const newLineBegun = (task: string, old: string): string =>
  `${changeBegun(task)}${JSON.stringify(old).slice(1)},"new":"`

/**
 * @param lines the old lines on offer, not empty
 * @param edits the new lines on offer. Default: any
 */
export function changeSchema(task: string, lines: readonly string[], edits?: readonly string[]): JsonSchema {
  return objectSchema({
    task: { const: task },
    old: lines.length === 1 ? { const: lines[0] } : { enum: [...lines] },
    new: edits ? { enum: [...edits] } : { type: 'string', maxLength: 1000 },
  })
}

/** Returns the prompt for an answer from a text. */
export function answerPrompt(text: string, question: string): ChatMessage[] {
  const ask = (from: string, asked: string) => `Text:\n${from}\nQuestion: ${asked}`
  return [
    { role: 'system', content: 'Answer the question from the text. Be short.' },
    ...answerExamples.flatMap((example): ChatMessage[] => [
      { role: 'user', content: ask(example.text, example.question) },
      { role: 'assistant', content: example.answer },
    ]),
    { role: 'user', content: ask(text, question) },
  ]
}

function objectSchema(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
