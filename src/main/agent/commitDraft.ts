import type { ModelChoice } from '../../shared/agent/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import type { JsonSchema } from '../../shared/tools/tool.ts'
import { parseObject } from '../model/clients/validHistory.ts'
import { ModelError, type ChatMessage } from '../model/modelClient.ts'
import type { AgentDeps } from './agentDeps.ts'
import { collectShortAnswer } from './shortAnswer.ts'
import { plural } from '../../shared/text/plural.ts'

export interface CommitDraftInput {
  /** Diff of the staged changes. */
  diff: string
  /** Changed files, listed in full even if the diff is truncated. */
  files: readonly { path: string; added: number; removed: number }[]
  /** Subjects of the latest commits, as examples of the style. */
  recent: readonly string[]
}

/** Maximum characters of the diff in the prompt. */
const maxDiff = 24_000
const maxFiles = 200
/** Maximum characters of the answer. A model that writes more is not writing a commit message. */
const maxAnswer = 8000
/** Approximate number of characters per token in a diff. */
const charactersPerToken = 3

const instructions = `Write a git commit message for the staged changes below.
First line: what changes, in the imperative, at most 72 characters, in the style of the recent commits.
Then, only if it helps, an empty line and one or two sentences or a short list that say why.
Answer with the message alone.`

/**
 * Drafts a commit message with a model, without tools.
 * @throws ModelError; ToolError `no_change` for an unusable answer
 */
export async function draftCommitMessage(
  model: AgentDeps['model'],
  choice: ModelChoice,
  input: CommitDraftInput,
  signal: AbortSignal,
): Promise<string> {
  const { client, contextWindow } = await model(choice, signal)
  // Half of the context is left for the answer and any reasoning.
  const room = contextWindow === undefined ? maxDiff : Math.min(maxDiff, (contextWindow / 2) * charactersPerToken)
  const messages: ChatMessage[] = [{ role: 'user', content: promptFor(input, Math.floor(room)) }]
  const request = { model: choice.model, messages, tools: [], temperature: 0, contextWindow, answerSchema, signal }
  const events = client.stream({ ...request, isAside: true, urgency: 'person' })
  const text = await collectShortAnswer(events, maxAnswer)
  if (text === undefined)
    throw new ToolError(
      'no_change',
      'The model wrote no usable message: its answer was cut off, too long, or repeated itself.',
      'Write the message yourself, or choose another model.',
    )
  const message = cleanCommitMessage(messageIn(text))
  if (!isMessage(message))
    throw new ToolError(
      'no_change',
      'The model did not write a commit message.',
      'Try again, or write the message yourself.',
    )
  return message
}

/** Subject and body of a message, for servers that enforce a schema. */
export const answerSchema: JsonSchema = {
  type: 'object',
  properties: { subject: { type: 'string' }, body: { type: 'string' } },
  required: ['subject', 'body'],
  additionalProperties: false,
}

/** Returns the message in an answer that follows `answerSchema`, or any other answer unchanged. */
function messageIn(text: string): string {
  const { subject, body } = parseObject(text) ?? {}
  if (typeof subject !== 'string') return text
  return typeof body === 'string' ? `${subject}\n\n${body}` : subject
}

function promptFor({ diff, files, recent }: CommitDraftInput, room: number): string {
  const listed = files.slice(0, maxFiles).map(({ path, added, removed }) => `${path} (+${added} -${removed})`)
  const more = files.length > listed.length ? [`and ${plural(files.length - listed.length, 'more file')}`] : []
  return [
    instructions,
    ...(recent.length > 0 ? [`Recent commits:\n${recent.join('\n')}`] : []),
    `Files:\n${[...listed, ...more].join('\n')}`,
    `Diff:\n${shareDiff(diff, room)}`,
  ].join('\n\n')
}

/** Truncates a diff but keeps the start of each file, so that the first file does not crowd out the others. */
function shareDiff(diff: string, room: number): string {
  if (diff.length <= room) return diff
  const parts = diff.split(/^(?=diff --git )/m)
  const share = Math.max(Math.floor(room / parts.length), 200)
  return parts
    .map((part) => (part.length <= share ? part : `${part.slice(0, share)}\n[truncated]\n`))
    .join('')
    .slice(0, room)
}

/** Extracts the message from an answer: without code fences, labels and quotes around it. */
export function cleanCommitMessage(text: string): string {
  const fenced = /```[a-z]*\n([\s\S]*?)```/.exec(text)?.[1] ?? text
  const message = fenced
    .trim()
    // Small models write the whole command.
    .replace(/^git commit\b[^"'\n]*["']([^"'\n]+)["'][^\n]*/i, '$1')
    .replace(/^(?:commit message|message)\s*:\s*/i, '')
    .replace(/^["'`“]([^\n]*)["'`”]$/, '$1')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
  return message.trim()
}

const statement = /^(?:const|let|var|def|function|return|import)\b/
const codeSigns = /=>|[({='"]/

/** Whether a message begins with words. SmolLM2 has answered with a program, and with the time of a commit. */
function isMessage(message: string): boolean {
  const [subject = ''] = message.split('\n')
  const isCode = /^(?:\/[/*]|#include|<)|[;{}]$/.test(subject) || (statement.test(subject) && codeSigns.test(subject))
  return /\p{L}{2}/u.test(subject) && !isCode
}

/** Converts a drafting error for the window. */
export function draftFailure(error: unknown): unknown {
  return error instanceof ModelError
    ? new ToolError('network_error', `No message was drafted. ${error.message}`, error.hint, { cause: error })
    : error
}
