import type { DebugInput } from '../../shared/debug/debug.ts'
import { ToolError } from '../../shared/errors.ts'
import { variablesIn } from '../base/configurationVariables.ts'
import { readInputs, type LaunchInput } from './launchSchema.ts'

/** Ids of the `${input:…}` in a value. */
export const inputIds = (value: unknown): string[] =>
  [...variablesIn(value)].flatMap((name) => (name.startsWith('input:') ? name.slice('input:'.length) : []))

/** Returns the inputs with these ids, in the order of the file. @throws ToolError invalid_arguments */
export function pickInputs(inputs: readonly unknown[], ids: readonly string[], file: string): Map<string, LaunchInput> {
  const { valid, problems } = readInputs(inputs)
  const missing = ids.find((id) => !valid.has(id))
  if (missing !== undefined)
    throw new ToolError(
      'invalid_arguments',
      problems.get(missing) ?? `${file} does not define the input "${missing}".`,
      `Correct ${file}.`,
    )
  return new Map([...valid].filter(([id]) => ids.includes(id)))
}

const labelOf = (option: string | { label: string }): string => (typeof option === 'string' ? option : option.label)
const valueOf = (option: string | { value: string }): string => (typeof option === 'string' ? option : option.value)

export function asDebugInput(input: LaunchInput): DebugInput {
  const { id, default: suggested } = input
  const description = input.description === '' ? id : input.description
  if (input.type === 'promptString')
    return {
      id,
      kind: 'text',
      description,
      ...(suggested !== undefined && { default: suggested }),
      ...(input.password && { password: true }),
    }
  const chosen = input.options.find((option) => valueOf(option) === suggested)
  return {
    id,
    kind: 'pick',
    description,
    options: input.options.map(labelOf),
    ...(chosen !== undefined && { default: labelOf(chosen) }),
  }
}

/** Value of an answer. The window answers with the label of an option. @throws ToolError invalid_arguments */
export function valueOfAnswer(input: LaunchInput, answer: string): string {
  if (input.type === 'promptString') return answer
  const chosen =
    input.options.find((option) => labelOf(option) === answer) ??
    input.options.find((option) => valueOf(option) === answer)
  if (chosen !== undefined) return valueOf(chosen)
  throw new ToolError(
    'invalid_arguments',
    `"${answer}" is not an option of the input "${input.id}".`,
    `Choose one of ${input.options.map(labelOf).join(', ')}.`,
  )
}
