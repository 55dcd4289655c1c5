import { z } from 'zod'

/** What can be read from both ends of a JSON-RPC message that is too long to be kept. */
export interface MessageEnds {
  /** Undefined where it cannot be read. */
  id: string | number | undefined
  /** Whether it answers a request. */
  isAnswer: boolean
}

export const idSchema = z.union([z.string(), z.number()])

const value = /("(?:[^"\\]|\\.){0,200}"|-?\d{1,20})/.source
const plainMember = String.raw`"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"`
/** In front of the long part only plain members can be in the outermost object; behind it nothing but the closing brace of that object. */
const atStart = new RegExp(String.raw`^\s*\{\s*(?:${plainMember}\s*,\s*){0,2}"id"\s*:\s*${value}\s*,`)
const atEnd = new RegExp(
  String.raw`[}\]"]\s*,\s*(?:${plainMember}\s*,\s*){0,2}"id"\s*:\s*${value}\s*(?:,\s*${plainMember}\s*){0,2}\}\s*$`,
)
const answerStart = new RegExp(
  String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*|"id"\s*:\s*${value}\s*,\s*){0,2}"(?:result|error)"\s*:`,
)

/** Reads the first and the last bytes of a message. */
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
