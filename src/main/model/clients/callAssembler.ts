import type { ModelCall, ModelEvent } from '../modelClient.ts'
import { isRecord } from '../transport/modelErrors.ts'
import { parseObject, uniqueId } from './validHistory.ts'

/** An element of `delta.tool_calls`, with the fields that all servers send. */
interface Fragment {
  index?: number
  id: string
  name: string
  arguments: string
}

interface AssembledCall {
  index?: number
  serverId: string
  id: string
  name: string
  arguments: string
}

/**
 * Assembles tool calls from streamed fragments. Most servers number the calls (`index`) and send id and name once. Some
 * omit the index, some send index 0 for every call, and some repeat the id or omit it.
 * @param usedIds ids in the conversation so far. Missing and duplicate ids are replaced
 */
export function createCallAssembler(usedIds: Set<string>): {
  push(fragments: unknown): ModelEvent[]
  finish(truncated?: boolean): ModelEvent[]
} {
  const calls: AssembledCall[] = []

  const target = (fragment: Fragment): AssembledCall | undefined => {
    const candidate =
      fragment.index !== undefined
        ? calls.findLast((call) => call.index === fragment.index)
        : fragment.id
          ? calls.findLast((call) => call.serverId === fragment.id)
          : calls.at(-1)
    return candidate && !startsAnother(candidate, fragment) ? candidate : undefined
  }

  return {
    push(value) {
      if (!Array.isArray(value)) return []
      const events: ModelEvent[] = []
      for (const element of value) {
        const fragment = readFragment(element)
        if (!fragment) continue
        let call = target(fragment)
        if (call) {
          call.arguments += fragment.arguments
          if (call.name || !fragment.name) continue
          call.name = fragment.name
        } else {
          call = {
            index: fragment.index,
            serverId: fragment.id,
            id: uniqueId(fragment.id, usedIds),
            name: fragment.name,
            arguments: fragment.arguments,
          }
          calls.push(call)
        }
        if (call.name) events.push({ kind: 'callStarted', id: call.id, name: call.name })
      }
      return events
    },
    // Drops fragments without name and arguments, which the executor would always reject.
    finish: (truncated = false) =>
      calls
        .filter((call) => call.name || call.arguments)
        .map((call) => ({ kind: 'call', call: toCall(call, truncated && call === calls.at(-1)) })),
  }
}

/** Whether a fragment with the index of `call` starts a new call. */
function startsAnother(call: AssembledCall, fragment: Fragment): boolean {
  if (!fragment.name) return false
  if (fragment.id && call.serverId && fragment.id !== call.serverId) return true
  if (fragment.index === undefined && call.name && fragment.name !== call.name) return true
  // A server may repeat name and id in every fragment. The call continues until its arguments are complete.
  return fragment.arguments !== '' && parseObject(call.arguments) !== undefined
}

function readFragment(value: unknown): Fragment | undefined {
  if (!isRecord(value)) return undefined
  const called = isRecord(value['function']) ? value['function'] : value
  const { index, id } = value
  const { name } = called
  const written = called['arguments']
  return {
    ...(typeof index === 'number' && { index }),
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    // Some servers send the arguments as an object instead of JSON text.
    arguments: typeof written === 'string' ? written : isRecord(written) ? JSON.stringify(written) : '',
  }
}

/** @param truncated whether the answer ended inside this call, so that missing arguments mean an incomplete call */
function toCall({ id, name, arguments: text }: AssembledCall, truncated: boolean): ModelCall {
  return { id, name, arguments: (truncated && !text ? '{' : text).replaceAll('\0', '') }
}
