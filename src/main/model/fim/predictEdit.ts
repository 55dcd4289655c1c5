import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import { ModelError } from '../clients/modelClient.ts'
import { restoreTokens } from './fimFamilies.ts'
import type { FimClient } from './fimClient.ts'
import { nextEditForm, nextEditPrompt, type NextEditInput } from './nextEditForms.ts'

/** Maximum tokens of an answer: the excerpt of 21 lines, with room for long lines and added ones. */
const maxTokens = 1024

/**
 * Requests the new lines of an excerpt.
 * @returns null if the model has no edit, or did not complete it
 * @throws ModelError `bad_request` for a model of an unknown form; AbortError
 */
export async function predictEdit(
  client: Pick<FimClient, 'continueRaw'>,
  choice: ModelChoice,
  input: NextEditInput,
  signal: AbortSignal,
): Promise<string[] | null> {
  const form = nextEditForm(choice.model)
  if (!form)
    throw new ModelError(
      'bad_request',
      `${choice.model} does not predict edits.`,
      'Choose a model for next edits, for example Zeta 2.1 or Sweep Next-Edit, or none.',
    )
  const { stop, isComplete } = form
  const prompt = nextEditPrompt(form, input)
  const { text, ended } = await client.continueRaw(choice, { prompt, stop, maxTokens, isComplete }, signal)
  return form.read(text, ended)?.map((line) => restoreTokens(line, form)) ?? null
}
