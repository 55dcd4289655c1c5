import type { ModelCall, ModelEvent } from './modelClient.ts'
import { isRecord } from '../transport/modelErrors.ts'
import { parseObject, uniqueId } from './validHistory.ts'

/** One element of `delta.tool_calls`, as far as servers agree on it. */
interface Fragment {
  index?: number
  id: string
  name: string
  arguments: string
}

interface Building {
  index?: number
  serverId: string
  id: string
  name: string
  arguments: string
}

/**
 * Puts tool calls together from streamed fragments. Servers differ: most number the calls (`index`) and send id and name
 * once; some leave the index out, some give every call index 0, some repeat the id or send none.
 * `usedIds`: ids of the conversation so far; ids that are missing or taken are replaced.
 */
export function createCallAssembler(usedIds: Set<string>): {
  push(fragments: unknown): ModelEvent[]
  finish(cut?: boolean): ModelEvent[]
} {
  const calls: Building[] = []

  const target = (fragment: Fragment): Building | undefined => {
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
    // A fragment without name and arguments asks for nothing; as a call it would only be refused, again and again.
    finish: (cut = false) =>
      calls
        .filter((call) => call.name || call.arguments)
        .map((call) => ({ kind: 'call', call: toCall(call, cut && call === calls.at(-1)) })),
  }
}

/** Whether a fragment that points at `call` is really the beginning of the next one. */
function startsAnother(call: Building, fragment: Fragment): boolean {
  if (!fragment.name) return false
  if (fragment.id && call.serverId && fragment.id !== call.serverId) return true
  if (fragment.index === undefined && call.name && fragment.name !== call.name) return true
  // A server that repeats name and id with every fragment is still writing until the arguments are whole.
  return fragment.arguments !== '' && parseObject(call.arguments) !== undefined
}

function readFragment(value: unknown): Fragment | undefined {
  if (!isRecord(value)) return undefined
  const called = isRecord(value['function']) ? value['function'] : value
  const { index, id } = value
  const { name } = called
  const given = called['arguments']
  return {
    ...(typeof index === 'number' && { index }),
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    // Some servers send the arguments as an object instead of its JSON text.
    arguments: typeof given === 'string' ? given : isRecord(given) ? JSON.stringify(given) : '',
  }
}

/** @param cut the answer ended with this call: without arguments it is one that was cut off before them */
function toCall({ id, name, arguments: text }: Building, cut: boolean): ModelCall {
  return { id, name, arguments: (cut && !text ? '{' : text).replaceAll('\0', '') }
}
