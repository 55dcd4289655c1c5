import { toFailure } from '../../shared/errors.ts'
import { formatNumber } from '../../shared/formatNumber.ts'
import { plural } from '../../shared/plural.ts'
import {
  ModelError,
  type ChatMessage,
  type ChatTool,
  type ModelCall,
  type ModelClient,
} from '../model/clients/modelClient.ts'
import { assumedWindow } from './context/contextAllocation.ts'
import type { RunSubAgent, NestedCalls, SubAgentTask, SubAgentResult } from '../tools/tool.ts'

export interface SubAgentDeps {
  client: ModelClient
  model: string
  temperature: number
  /** Tokens, when known. */
  contextWindow?: number
  /** All tools of the conversation's toolset. */
  tools: readonly ChatTool[]
}

/** A token of code is about three characters; a quarter of the window is kept for the answer. */
const charactersPerToken = 3
const usableShare = 0.75
/** One result may take this part of what is usable, so that several fit. */
const resultShare = 0.2
const longestResult = 20_000
/** A longer answer is a model that does not find its end. Characters. */
const longestAnswer = 100_000

/**
 * Lets a model answer one question with tools that only read. Bounded in turns, calls and characters: whoever uses all of them
 * up is told so in the last result and may still answer. A call that was made before is not made again.
 * @param calls runs a call through the gate
 */
export function createSubAgent(deps: SubAgentDeps, calls: NestedCalls): RunSubAgent {
  return async (talk) => {
    const { maxTurns, maxToolCalls, signal } = talk
    const tools = maxTurns > 1 && maxToolCalls > 0 ? offered(deps.tools, talk.tools, calls) : []
    const messages: ChatMessage[] = [
      { role: 'system', content: talk.system },
      { role: 'user', content: talk.question },
    ]
    const usable = (deps.contextWindow ?? assumedWindow) * charactersPerToken * usableShare
    const end: SubAgentResult = { text: '', turns: 0, toolCalls: 0, ended: 'limit', problem: '' }
    const made = new Set<string>()
    let used = talk.system.length + talk.question.length + JSON.stringify(tools).length
    try {
      while (end.turns < maxTurns) {
        end.turns += 1
        const said = await ask(deps, messages, tools, signal)
        if (said.calls.length === 0) return { ...end, text: said.text, ended: 'answered' }
        messages.push({ role: 'assistant', content: said.text, toolCalls: said.calls })
        used += said.text.length
        for (const call of said.calls) {
          const content = await resultOf(call, talk, tools, end, made, Math.min(longestResult, usable * resultShare))
          used += content.length + call.arguments.length
          messages.push({ role: 'tool', callId: call.id, name: call.name, content })
        }
        // Said in a result, because chat templates do not take a user's word between results and answer.
        const last = messages.at(-1)
        const over = end.turns === maxTurns - 1 || end.toolCalls >= maxToolCalls || used > usable
        if (last && over) last.content += '\n\n[No more calls. Answer now.]'
        if (used > usable * 1.2) return { ...end, problem: "It filled the model's window before it answered." }
      }
      return end
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelError)) throw error
      return { ...end, ended: 'failed', problem: error.message }
    }
  }

  async function resultOf(
    call: ModelCall,
    talk: SubAgentTask,
    tools: readonly ChatTool[],
    end: SubAgentResult,
    made: Set<string>,
    longest: number,
  ): Promise<string> {
    const offeredNames = tools.map((tool) => tool.name)
    if (!offeredNames.includes(mainName(call.name, calls)))
      return `Error (unknown_tool): "${call.name}" is not offered here. Use: ${offeredNames.join(', ')}.`
    const same = `${call.name} ${call.arguments}`
    if (made.has(same)) return 'This call was made before and its result stands above. Make another one, or answer.'
    if (end.toolCalls >= talk.maxToolCalls) return `This call was not made: all ${talk.maxToolCalls} are used up.`
    made.add(same)
    end.toolCalls += 1
    talk.onCall(call.name, call.arguments)
    const { text } = await calls.call(call.name, call.arguments, talk.signal)
    talk.signal.throwIfAborted()
    return shortened(text, longest)
  }
}

/** A tool's own name where a model writes an alias. */
function mainName(name: string, calls: NestedCalls): string {
  try {
    return calls.find(name).name
  } catch (error) {
    // One that the user switched off is not offered either, and answered so.
    if (['unknown_tool', 'switched_off'].includes(toFailure(error).code)) return name
    throw error
  }
}

/** What of the wanted tools there is and merely reads. */
function offered(all: readonly ChatTool[], wanted: readonly string[], calls: NestedCalls): ChatTool[] {
  return all.filter((tool) => wanted.includes(tool.name) && calls.find(tool.name).risk === 'read')
}

async function ask(
  { client, model, temperature, contextWindow }: SubAgentDeps,
  messages: ChatMessage[],
  tools: ChatTool[],
  signal: AbortSignal,
): Promise<{ text: string; calls: ModelCall[] }> {
  let text = ''
  let length = 0
  const calls: ModelCall[] = []
  for await (const event of client.stream({ model, messages, tools, temperature, contextWindow, signal })) {
    if (event.kind === 'text') text += event.text
    if (event.kind === 'text' || event.kind === 'reasoning') length += event.text.length
    if (event.kind === 'call') calls.push(event.call)
    if (length > longestAnswer)
      throw new ModelError(
        'bad_response',
        `The model's answer did not end within ${formatNumber(longestAnswer)} characters.`,
        'Use another model.',
      )
  }
  return { text, calls }
}

function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  const cut = text.lastIndexOf('\n', longest)
  return `${text.slice(0, cut > longest / 2 ? cut : longest)}\n[The rest of ${plural(text.length, 'character')} is left out.]`
}
