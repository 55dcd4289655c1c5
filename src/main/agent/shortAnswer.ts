import type { ModelEvent } from '../model/modelClient.ts'
import { parseObject } from '../model/clients/validHistory.ts'
import { createRepetitionDetector } from './guards/answerRepetition.ts'

/**
 * Collects the text of a short answer outside a conversation, such as a title. Ends the request if the answer becomes
 * too long or repeats itself.
 * @param maxLength in characters
 * @returns undefined if the answer is not usable: too long, repeated, cut off, or half of a JSON object
 */
export async function collectShortAnswer(
  events: AsyncIterable<ModelEvent>,
  maxLength: number,
): Promise<string | undefined> {
  let text = ''
  let repetition = createRepetitionDetector()
  for await (const event of events) {
    if (event.kind === 'wasReasoning' || event.kind === 'discarded') {
      text = ''
      repetition = createRepetitionDetector()
    } else if (event.kind === 'text' || event.kind === 'reasoning') {
      if (event.kind === 'text') text += event.text
      if (text.length > maxLength || repetition.push(event.text)) return undefined
    } else if (event.kind === 'finish' && event.reason === 'length') return undefined
  }
  return text.trimStart().startsWith('{') && !parseObject(text) ? undefined : text
}
