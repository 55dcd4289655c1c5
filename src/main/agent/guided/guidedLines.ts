import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import type { InlineEditParams } from '../../../shared/agent/inlineEdit.ts'
import type { Endpoints } from '../../model/endpoints/endpointsTypes.ts'
import { chooseChange } from './changeLine.ts'
import { createGuidedModel } from './guidedModel.ts'

/**
 * Lets a model change one line of the selection of an inline edit.
 * @returns undefined if its server cannot constrain answers, or nothing changes
 * @throws ModelError, AbortError
 */
export async function guidedLines(
  model: Endpoints['model'],
  choice: ModelChoice,
  { path, selection, instruction }: Pick<InlineEditParams, 'path' | 'selection' | 'instruction'>,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const { client, contextWindow, canGuide, slots } = await model(choice, signal)
  if (!canGuide || selection === null) return undefined
  const guided = createGuidedModel(
    client,
    { model: choice.model, temperature: 0, ...(contextWindow !== undefined && { contextWindow }), signal },
    { aside: slots?.aside() },
  )
  const text = selection.join('\n')
  const change = await chooseChange(guided, { path, text, task: instruction })
  return change && text.replace(change.oldText, () => change.newText).split('\n')
}
