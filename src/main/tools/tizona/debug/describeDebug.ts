import type { DebugFrame, DebugSessionInfo, DebugVariable } from '../../../../shared/debug/debug.ts'
import { ToolError } from '../../../../shared/errors.ts'
import { plural } from '../../../../shared/text/plural.ts'
import { redact } from '../../../base/log/redact.ts'
import type { DebugSession } from '../../../debug/debugSession.ts'

/** Maximum characters of a value, of an exception's text, and of the program's output. */
const maxValue = 200
const maxText = 1000
const maxOutput = 1500
/** Characters of output that are searched for secrets: more than are shown. */
const maxRedactedOutput = 10_000
/** Maximum characters of a result: about 2,000 tokens. */
export const maxResult = 7500
/** Maximum variables of a scope, and frames of a stack. */
const maxVariables = 20
const maxFrames = 8

/** Characters of a value that are searched for secrets: more than are shown. */
const maxRedacted = 4000

/** Names whose values are left out. */
const secretName = /pass(?:word|wd|phrase)|token|secret|credential|api_?key|cookie/i

/** Groups that debugpy lists as variables. */
const isGroup = ({ name }: Pick<DebugVariable, 'name'>): boolean => name.endsWith(' variables')

/** Returns a text without line breaks, cut to `length` characters. */
function shorten(text: string, length = maxValue): string {
  // Redacted before it is cut, because a part of a secret is not recognized. For the same reason nothing after the
  // redacted characters is shown, even if redacting has made them few.
  const line = redact(text.slice(0, maxRedacted)).replaceAll(/\s*\n\s*/g, ' ')
  const total = line.length + Math.max(0, text.length - maxRedacted)
  return total <= length ? line : `${line.slice(0, length)}… (${plural(total, 'character')})`
}

/** Whether a line has a value that `shorten` has cut. */
export const isShortened = (line: string): boolean => /… \([\d,]+ characters?\)/.test(line)

export const seeMoreHint = 'To see more of a long value, pass an expression for one element, member or slice of it.'

/** Joins lines up to a number of characters, and reports how many are left out. */
export function limitLines(lines: readonly string[], length = maxResult): string {
  let size = 0
  const fitting = lines.filter((line) => (size += line.length + 1) <= length - 30)
  const missing = lines.length - fitting.length
  return [...fitting, ...(missing > 0 ? [`(${plural(missing, 'line')} left out)`] : [])].join('\n')
}

/** Returns `path:line` of a frame. */
export const frameLocation = ({ path, source, line }: DebugFrame): string =>
  `${path ?? source ?? 'unknown source'}:${line}`

/** Describes a variable in one line. */
export function describeVariable({ name, value, type }: Pick<DebugVariable, 'name' | 'value' | 'type'>): string {
  const shown = secretName.test(name) ? '(hidden, because the name is that of a secret)' : shorten(value)
  return `${name} = ${shown}${type !== undefined && type !== '' && value.length > maxValue ? ` (${type})` : ''}`
}

/** Reads the variables of a frame's innermost scope. */
export async function describeLocals(session: DebugSession, frameId: number): Promise<string[]> {
  for (const { reference, expensive } of await session.scopes(frameId)) {
    if (expensive) continue
    const variables = await session.variables({ reference, start: 0, count: maxVariables * 3 })
    const own = variables.filter((variable) => !isGroup(variable))
    // A block of JavaScript can have no variables of its own.
    if (own.length === 0) continue
    const more = own.length - maxVariables
    return [...own.slice(0, maxVariables).map(describeVariable), ...(more > 0 ? [`and ${more} more`] : [])]
  }
  return []
}

/**
 * Evaluates expressions in a frame, each in one line.
 * @returns `isStuck`: one took too long, so the debugger answers no more requests
 */
export async function describeExpressions(
  session: DebugSession,
  frameId: number,
  expressions: readonly string[],
  signal: AbortSignal,
): Promise<{ lines: string[]; isStuck: boolean }> {
  const lines: string[] = []
  for (const expression of expressions) {
    try {
      const { value, type } = await session.evaluate({ expression, frameId, context: 'watch' }, signal)
      lines.push(describeVariable({ name: expression, value, ...(type !== undefined && { type }) }))
    } catch (error) {
      signal.throwIfAborted()
      lines.push(
        `${expression} could not be evaluated: ${shorten(error instanceof Error ? error.message : String(error))}`,
      )
      if (error instanceof ToolError && error.code === 'timeout') return { lines, isStuck: true }
    }
  }
  return { lines, isStuck: false }
}

/** Describes a stack, innermost frame first. */
export function describeStack(frames: readonly DebugFrame[], total: number): string[] {
  const lines = frames.slice(0, maxFrames).map((frame) => `${frameLocation(frame)} ${frame.name}`)
  return total > lines.length ? [...lines, `and ${total - lines.length} more frames`] : lines
}

/** Describes the exception of a stop. */
export async function describeException(session: DebugSession, { stop }: DebugSessionInfo): Promise<string> {
  const info = await session.exceptionInfo(stop?.threadId ?? 0).catch(() => null)
  const text = info === null ? (stop?.text ?? '') : [info.id, info.description].filter(Boolean).join(': ')
  return shorten(text === '' ? 'unknown exception' : text, maxText)
}

/** Returns the last part of what a program printed. */
export function describeOutput(text: string): string {
  const trimmed = redact(text.slice(-maxRedactedOutput)).trim()
  const total = Math.max(trimmed.length, text.length)
  if (trimmed === '') return ''
  return total <= maxOutput
    ? `Output:\n${trimmed}`
    : `Output, last ${maxOutput} of ${plural(total, 'character')}:\n…${trimmed.slice(-maxOutput)}`
}

/** Describes which breakpoints the debugger has bound, and where. */
export function describeBound(
  asked: readonly { id: string; path: string; line: number }[],
  statuses: ReadonlyMap<string, { verified: boolean; line?: number; message?: string }>,
): string[] {
  return asked.flatMap(({ id, path, line }) => {
    const status = statuses.get(id)
    const place = `${path}:${line}`
    if (status?.verified === true)
      return status.line !== undefined && status.line !== line ? [`${place} was bound to line ${status.line}.`] : []
    return [
      `${place} was not bound${status?.message === undefined ? ': no code was loaded for this line' : `: ${shorten(status.message)}`}.`,
    ]
  })
}
