import { z } from 'zod'

/** What can be read from the first and last bytes of a JSON-RPC message that is too long to keep. */
export interface MessageEnds {
  /** Undefined if unreadable. */
  id: string | number | undefined
  /** Whether the message is a response. */
  isAnswer: boolean
}

export const idSchema = z.union([z.string(), z.number()])

const value = /("(?:[^"\\]|\\.){0,200}"|-?\d{1,20})/.source
const plainMember = String.raw`"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"`
/**
 * Matches an id before the long member, preceded only by simple members. `atEnd` matches one between it and the
 * closing brace.
 */
const atStart = new RegExp(String.raw`^\s*\{\s*(?:${plainMember}\s*,\s*){0,2}"id"\s*:\s*${value}\s*,`)
const atEnd = new RegExp(
  String.raw`[}\]"]\s*,\s*(?:${plainMember}\s*,\s*){0,2}"id"\s*:\s*${value}\s*(?:,\s*${plainMember}\s*){0,2}\}\s*$`,
)
const answerStart = new RegExp(
  String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*|"id"\s*:\s*${value}\s*,\s*){0,2}"(?:result|error)"\s*:`,
)

export function readMessageEnds({ head, tail }: { head: Buffer; tail: Buffer }): MessageEnds {
  const start = head.toString('utf8')
  return { id: idOf(start, tail.toString('utf8')), isAnswer: answerStart.test(start) }
}

function idOf(head: string, tail: string): MessageEnds['id'] {
  const raw = (atStart.exec(head) ?? atEnd.exec(tail))?.[1]
  if (raw === undefined) return undefined
  try {
    return idSchema.parse(JSON.parse(raw))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined
    throw error
  }
}
