import { balancedEnd } from '../jsonScan.ts'
import { more, none, type Dialect, type FoundCall } from './dialect.ts'
import { readJson } from './jsonCalls.ts'

const open = '[TOOL_CALLS]'
const head = /\s*(?:\[TOOL_CALLS\]\s*)?([\w.-]{1,128})\s*(?:\[CALL_ID\][\w-]*\s*)?(?:\[ARGS\]\s*)?(?=\{)/y

/**
 * `[TOOL_CALLS][{"name": …, "arguments": …}]` (tokenizers up to v7) and `[TOOL_CALLS]name[ARGS]{…}`, with `[CALL_ID]`
 * before `[ARGS]` in some (v11 and later: Mistral Small 3.2, Devstral, Magistral). Sources: mistral-common's tokenizers, vLLM's parser
 * `mistral`, llama.cpp's format for Mistral Small 3.2. The marks are tokens that some servers drop, so `[ARGS]` may be missing.
 */
export const mistral: Dialect = {
  name: 'Mistral, Devstral, Magistral',
  openers: [open],
  closers: [],
  read(text, final) {
    if (!final) return more
    const list = readJson(text, open.length, true)
    if (list.kind === 'envelope') return { ...list, end: afterEnd(text, list.end) }
    const calls: FoundCall[] = []
    let at = open.length
    for (;;) {
      head.lastIndex = at
      const found = head.exec(text)
      if (!found?.[1]) break
      const start = at + found[0].length
      const end = balancedEnd(text, start) ?? text.length
      calls.push({ name: found[1], arguments: text.slice(start, end) })
      at = end
    }
    return calls.length > 0 ? { kind: 'envelope', end: afterEnd(text, at), calls } : none
  },
}

function afterEnd(text: string, at: number): number {
  return at + (/^\s*<\/s>/.exec(text.slice(at))?.[0].length ?? 0)
}
