import { ToolError } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import { copySubstring } from '../../base/copySubstring.ts'
import { maxResult } from './reportedCall.ts'

/** Maximum characters of files that an agent may read in one turn. */
const maxReturned = 200_000_000
/** Maximum characters of results that the cards of one turn keep. Of later results, only the beginning is kept. */
const maxKept = 20_000_000
const maxBeginning = 1000
/** Maximum characters of an argument on a card, e.g. of the content of a written file. */
const maxArgument = 20_000

/**
 * Limits what an agent reads in one turn and how much of it the cards keep, because they are stored with the
 * conversation.
 */
export interface ReturnedTexts {
  /** Counts a text that is returned to the agent. @throws ToolError `too_large` beyond the limit */
  count(text: string): void
  /** Returns a result for a card. The agent gets all of it. */
  kept(result: ToolResult): ToolResult
}

/** @param onTooMuch called when the agent has read too much */
export function createReturnedTexts(onTooMuch: (message: string) => void): ReturnedTexts {
  let returned = 0
  let kept = 0
  return {
    count({ length }) {
      returned += length
      if (returned <= maxReturned) return
      const message = `It read more than ${formatNumber(maxReturned)} characters in one turn.`
      onTooMuch(message)
      throw new ToolError('too_large', message)
    },
    kept(result) {
      const text = beginning(result.text, kept < maxKept ? maxResult : maxBeginning)
      kept += text.length
      return { ...result, text, arguments: argumentsForCard(result.arguments) }
    },
  }
}

/** Returns arguments for a card. */
export function argumentsForCard(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? beginning(value, maxArgument) : value,
    ]),
  )
}

function beginning(text: string, max: number): string {
  if (text.length <= max) return text
  return `${copySubstring(text, 0, max)}\n[${plural(text.length - max, 'more character')} not kept on this card.]`
}
