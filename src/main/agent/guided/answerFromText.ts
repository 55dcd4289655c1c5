import type { ModelEvent } from '../../model/modelClient.ts'
import { chooseEvidence } from './chooseLine.ts'
import type { GuidedModel, WriteOptions } from './guidedModel.ts'
import { answerPrompt } from './questions.ts'

/**
 * Answers a question from a text. If the answer is not part of the text or repeats the question, appends the line that
 * supports it: small models find the line more often than the right words.
 * @param path of the text, if it is a file
 */
export async function* answerFromText(
  model: GuidedModel,
  { question, text, path }: { question: string; text: string; path: string | undefined },
  options: WriteOptions,
): AsyncGenerator<ModelEvent, void, void> {
  let written = ''
  for await (const event of firstParagraph(model.write(answerPrompt(text, question), options))) {
    if (event.kind === 'text') written += event.text
    yield event
  }
  if (isPartOf(written, text) && !isPartOf(written, question)) return
  const line = await chooseEvidence(model, text, question)
  if (line === undefined) return
  yield { kind: 'text', text: `\n\n> ${path === undefined ? '' : `${path}: `}${line}` }
}

/** Whether a text contains an answer, ignoring punctuation. */
function isPartOf(answer: string, whole: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  return plain(answer) !== '' && ` ${plain(whole)} `.includes(` ${plain(answer)} `)
}

/** Ends an answer at a blank line, or where the model continues with another question like those in the examples. */
async function* firstParagraph(answer: AsyncGenerator<ModelEvent, void, void>): AsyncGenerator<ModelEvent, void, void> {
  let held = ''
  let hasBegun = false
  for await (const event of answer) {
    if (event.kind !== 'text') {
      yield event
      continue
    }
    held = hasBegun ? held + event.text : `${held}${event.text}`.trimStart()
    hasBegun ||= held !== ''
    const next = nextQuestion.exec(held)
    const line = held.lastIndexOf('\n')
    // A short last line may become the next question.
    const ready = next?.index ?? (line >= 0 && held.length - line <= labelLength ? line : held.length)
    if (ready > 0) yield { kind: 'text', text: held.slice(0, ready) }
    if (next) return
    held = held.slice(ready)
  }
  if (held !== '') yield { kind: 'text', text: held }
}

const nextQuestion = /\n\s*\n|\n(?:Question|Text):/
const labelLength = '\nQuestion:'.length
