import type { DebugExceptionInfo, DebugFrame, DebugVariable } from '../../../shared/debug/debug.ts'

/** Maximum characters of the text, of the message, and of a value. */
const maxText = 4000
const maxMessage = 1000
const maxValue = 200

/** Variables with these names are sent without their values. */
const secretNames = /pass(?:word|wd|phrase)|token|secret|credential|api_?key|auth|cookie|private/i

/** Pure: describes an exception for the model: message, stack and visible variables. Omits secrets. */
export function describeStop(
  info: DebugExceptionInfo,
  frames: readonly DebugFrame[],
  variables: readonly Pick<DebugVariable, 'name' | 'value' | 'type'>[],
): string {
  const message = [info.id, info.description].filter((part) => part !== undefined && part !== '').join(': ')
  const stack = frames.map(({ name, path, source, line }) => `  ${path ?? source ?? '?'}:${line} ${name}`)
  const values = variables
    .filter(({ name }) => !name.startsWith('special variables') && !name.startsWith('function variables'))
    .map(({ name, value }) => `  ${name} = ${secretNames.test(name) ? '(left out)' : shorten(value, maxValue)}`)
  return shorten(
    [shorten(message, maxMessage), '', 'Stack, innermost first:', ...stack, '', 'Values:', ...values].join('\n'),
    maxText,
  )
}

const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`
