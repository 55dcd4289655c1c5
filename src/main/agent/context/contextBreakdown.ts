import { answerReserve } from '../../../shared/contextAllocation.ts'
import type { ContextUse } from '../../../shared/contextUse.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { ModelError } from '../../model/clients/modelClient.ts'
import type { SourcedMessage } from '../sourcedMessage.ts'
import type { RequestBudget } from './requestBudget.ts'
import { readPath } from './staleReads.ts'

/**
 * Returns how much of the context window each kind of content in the next request takes.
 * @param tokens its total size
 */
export function contextBreakdown(budget: RequestBudget, tokens: number): ContextUse {
  const { size, form, window } = budget
  const messages = budget.messages()
  const sizeOf = (matches: (message: SourcedMessage) => boolean) => size.messages(messages.filter(matches))
  const system = sizeOf(({ message }) => message.role === 'system')
  const attached = messages.reduce((sum, { message, item }) => {
    const own = item?.kind === 'user' && item.attachments ? item.text : message.content
    return sum + Math.max(0, size.text(message.content) - size.text(own))
  }, 0)
  const files = attached + sizeOf(({ item }) => item?.kind === 'tool' && readPath(item) !== undefined)
  const tools = size.tools(form.tools)
  return {
    window,
    assumed: budget.isAssumed,
    profile: form.profile,
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
  const { size, form, window } = budget
  const forMessage = size.text(message)
  const fixed = size.text(form.system) + size.tools(form.tools)
  const holds = `The model's context holds ${plural(window, 'token')}`
  let what = `${holds}. This request takes about ${formatNumber(needed)}, and nothing more can be left out.`
  if (fixed >= budget.limit())
    what = `${holds}. Instructions and tools alone take about ${formatNumber(fixed)} in their smallest form.`
  else if (forMessage > budget.limit() - fixed)
    what = `${holds}. Instructions and tools take ${formatNumber(fixed)}, so your message of about ${formatNumber(forMessage)} does not fit.`
  return new ModelError('context_exceeded', what, tooLongHint)
}
