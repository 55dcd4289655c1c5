import type { ChatTool } from '../clients/modelClient.ts'
import { toolsGrammar } from './toolsGrammar.ts'

/** What a model writes before a call (requestCompat.ts, toolSchema.ts). The grammar applies from here to the end. */
export const callOpener = '<tool_call>'
const callEnd = '</tool_call>'
/** Maximum number of calls in one answer. */
const maxCalls = 8

type GrammarTool = Pick<ChatTool, 'name' | 'parameters' | 'bounded'>

/**
 * Returns the grammars (GBNF) of the text after `<tool_call>`: calls of these tools with valid arguments. The others are
 * for a grammar that llama.cpp refuses as too complex: without bounds of the arguments, and of only names and JSON.
 * Empty without tools.
 */
export function answerGrammars(tools: readonly GrammarTool[]): string[] {
  if (tools.length === 0) return []
  const loose = tools.map(({ name }): GrammarTool => ({ name, parameters: { type: 'object' } }))
  const strict = tools.map((tool, at) => (hasGrammar(tool) ? tool : (loose[at] ?? tool)))
  const bounded = strict.map((tool) => {
    const parameters = tool.bounded?.()
    return parameters && hasGrammar({ ...tool, parameters }) ? { ...tool, parameters } : tool
  })
  return [bounded, strict, loose].map(withFrame)
}

/** Whether a schema has only keywords that the grammar can hold. */
function hasGrammar(tool: GrammarTool): boolean {
  try {
    toolsGrammar([tool])
    return true
  } catch {
    // The executor checks the arguments in any case.
    return false
  }
}

function withFrame(tools: readonly GrammarTool[]): string {
  const calls = toolsGrammar(tools).replace(/^root ::= /m, 'one-of-the-calls ::= ')
  const call = `space one-of-the-calls space ${JSON.stringify(callEnd)}`
  return `${calls}root ::= ${call} ( "\\n" ${JSON.stringify(callOpener)} ${call} ){0,${maxCalls - 1}}\n`
}
