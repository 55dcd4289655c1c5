import { answerReserve } from '../../../shared/agent/contextAllocation.ts'
import { smallerProfile } from '../../../shared/agent/promptProfile.ts'
import { profileTexts } from '../../../shared/agent/profileTexts.ts'
import type { ContextUse } from '../../../shared/agent/contextUse.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { ModelError } from '../../model/modelClient.ts'
import type { SourcedMessage } from '../conversation/items.ts'
import type { RequestBudget } from './requestBudget.ts'
import { pathReadBy } from './staleReads.ts'

/**
 * Returns how the next request fills the context window, by kind of content.
 * @param tokens its total size
 */
export function contextBreakdown(budget: RequestBudget, tokens: number): ContextUse {
  const { size, prompt, window } = budget
  const messages = budget.messages()
  const sizeOf = (matches: (message: SourcedMessage) => boolean) => size.messages(messages.filter(matches))
  const system = sizeOf(({ message }) => message.role === 'system')
  const attached = messages.reduce((sum, { message, item }) => {
    const own = item?.kind === 'user' && item.attachments ? item.text : message.content
    return sum + Math.max(0, size.text(message.content) - size.text(own))
  }, 0)
  const files = attached + sizeOf(({ item }) => item?.kind === 'tool' && pathReadBy(item) !== undefined)
  const tools = size.tools(prompt.tools)
  return {
    window,
    assumed: budget.isAssumed,
    profile: prompt.profile,
    system,
    tools,
    files,
    conversation: Math.max(0, tokens - system - files - tools),
    answer: answerReserve(window),
    compactAt: budget.threshold(),
    exact: size.exact,
  }
}

const tooLongHint =
  'Send less at once (name files instead of pasting them), or give the model a larger context and set its size.'

/**
 * Creates the error for a request that exceeds the context size although nothing more can be left out.
 * @param needed size of the request
 * @param message text of the user's last message
 */
export function requestTooLong(budget: RequestBudget, needed: number, message: string): ModelError {
  const { size, window } = budget
  const forMessage = size.text(message)
  const fixed = budget.fixed()
  if (fixed >= budget.limit()) return contextTooSmall(budget)
  const holds = `The model's context holds ${plural(window, 'token')}.`
  const what =
    forMessage > budget.limit() - fixed
      ? `${holds} Instructions and tools take ${plural(fixed, 'token')}, so your message of about ${plural(forMessage, 'token')} does not fit.`
      : `${holds} This request takes about ${plural(needed, 'token')}, and nothing more can be left out.`
  return new ModelError('context_exceeded', what, tooLongHint)
}

/** Number of largest tools to name. */
const namedTools = 3

/** Creates the error for a conversation whose system prompt, instructions and tools leave too little room. */
export function contextTooSmall(budget: RequestBudget): ModelError {
  const { size, prompt, window } = budget
  const system = size.text(prompt.system)
  const tools = size.tools(prompt.tools)
  const instructions = Math.max(0, budget.fixed() - system - tools)
  const largest = prompt.tools
    .map((tool) => ({ name: tool.name, tokens: size.tools([tool]) }))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, namedTools)
    .map(({ name, tokens }) => `${name} ${formatNumber(tokens)}`)
  const profile = smallerProfile(prompt.profile)
  const sentences = [
    `The model's context of ${plural(window, 'token')} leaves too little room for the conversation.`,
    `The system prompt takes ${plural(system, 'token')}.`,
    instructions > 0 && `Instructions take ${plural(instructions, 'token')}.`,
    tools > 0 &&
      `Tools take ${plural(tools, 'token')} (${plural(prompt.tools.length, 'tool')}, largest: ${largest.join(', ')}).`,
    `The answer needs ${plural(answerReserve(window), 'token')}.`,
  ]
  const steps = [
    'To make room, take any of these steps.',
    profile && `Select the prompt profile "${profileTexts[profile].label}".`,
    'Turn off tools or MCP servers in the settings.',
    instructions > 0 && 'Shorten the instructions of the folder.',
    'Give the model a larger context and set its size.',
  ]
  return new ModelError('context_exceeded', sentences.filter(Boolean).join(' '), steps.filter(Boolean).join(' '))
}
