import type { ChatTool } from '../modelClient.ts'
import type { JsonSchema } from '../../../shared/tools/tool.ts'
import { schemaGrammar, toolsGrammar } from './toolsGrammar.ts'

/** Opens a call (requestCompat.ts, toolSchema.ts). The grammar applies from here to the end of the answer. */
export const callOpener = '<tool_call>'
const callEnd = '</tool_call>'
/** Maximum number of calls in one answer. */
const maxCalls = 8

type GrammarTool = Pick<ChatTool, 'name' | 'parameters' | 'bounded'>

/**
 * Returns the grammars (GBNF) of the text after `<tool_call>`: calls of these tools with valid arguments. If llama.cpp
 * rejects a grammar as too complex, the next one applies: without bounds of the arguments, then with only names and
 * JSON. Empty without tools.
 */
export function callGrammars(tools: readonly GrammarTool[]): string[] {
  if (tools.length === 0) return []
  const loose = tools.map(({ name }): GrammarTool => ({ name, parameters: { type: 'object' } }))
  const strict = tools.map((tool, at) => (hasGrammar(tool) ? tool : (loose[at] ?? tool)))
  const bounded = strict.map((tool) => {
    const parameters = tool.bounded?.()
    return parameters && hasGrammar({ ...tool, parameters }) ? { ...tool, parameters } : tool
  })
  return [bounded, strict, loose].map(withFrame)
}

/**
 * Returns the grammars (GBNF) of an answer that matches a schema. The second one, without lengths of texts, is for when
 * llama.cpp rejects the first as too complex. Empty for a schema that cannot be converted.
 */
export function schemaGrammars(schema: JsonSchema): string[] {
  try {
    return [schemaGrammar(schema), schemaGrammar(withoutLengths(schema))]
  } catch {
    // The caller checks the answer anyway.
    return []
  }
}

function withoutLengths<T>(schema: T): T {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === 'maxLength' ? undefined : value))
  // The same type without an optional field.
  return JSON.parse(text) as T
}

/** Whether a grammar can express all keywords of a schema. */
function hasGrammar(tool: GrammarTool): boolean {
  try {
    toolsGrammar([tool])
    return true
  } catch {
    // The executor checks the arguments anyway.
    return false
  }
}

function withFrame(tools: readonly GrammarTool[]): string {
  const calls = toolsGrammar(tools).replace(/^root ::= /m, 'one-of-the-calls ::= ')
  const call = `space one-of-the-calls space ${JSON.stringify(callEnd)}`
  return `${calls}root ::= ${call} ( "\\n" ${JSON.stringify(callOpener)} ${call} ){0,${maxCalls - 1}}\n`
}
