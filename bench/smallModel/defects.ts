import type { ChatMessage } from '../../src/main/model/modelClient.ts'
import { evidenceIn, isChange, repair, runTests, type Intent } from './nextIntent.ts'

/** Replaces a model's intended action with a defective one. */
export type Defect = (meant: Intent, messages: readonly ChatMessage[]) => Intent

/** Repeats the read of a file before an edit until a result warns about repetition. */
export const loops: Defect = (meant, messages) => {
  const warned = evidenceIn(messages).some((text) => /same (call|arguments|result)|repeat/i.test(text))
  return meant.kind === 'call' && meant.name === 'edit_file' && !warned
    ? { kind: 'call', name: 'read_file', args: { path: meant.args.path } }
    : meant
}

/** Announces the action instead of calling the tool, unless it was just reminded. */
export const promises: Defect = (meant, messages) => {
  const promised = messages.some(({ role, content }) => role === 'assistant' && content.startsWith('Now I will'))
  if (meant.kind !== 'call' || meant.name !== 'edit_file' || promised) return meant
  return { kind: 'say', text: `Now I will edit the file ${String(meant.args.path)} to repair the function.` }
}

/** Sends an empty answer after its first result, unless it was just reminded. */
export const fallsSilent: Defect = (meant, messages) => {
  const calls = messages.filter(({ role }) => role === 'tool').length
  const reminded = messages.at(-1)?.role === 'user'
  return calls === 1 && !reminded ? { kind: 'say', text: '' } : meant
}

/** Omits a brace in each edit and ends the task unless a result reports the error. */
export const hasty: Defect = (meant, messages) => {
  const evidence = evidenceIn(messages)
  const last = evidence.at(-1) ?? ''
  if (meant.kind === 'call' && meant.name === 'edit_file')
    return { ...meant, args: { ...meant.args, new_content: String(meant.args.new_content).replace(/\n\}$/, '') } }
  if (!isChange(last)) return meant
  if (complains(last)) {
    const edit = repair(evidence)
    if (edit.kind !== 'call') return meant
    const whole = String(edit.args.new_content)
    return { ...edit, args: { ...edit.args, old_content: whole.replace(/\n\}$/, ''), new_content: whole } }
  }
  const mended =
    complains(evidence.findLast((text, index) => index < evidence.length - 1 && isChange(text)) ?? '') &&
    !last.includes('-}')
  return mended ? runTests : { kind: 'say', text: 'I have repaired it.' }
}

/** Misspells a name in each edit and ends the task unless a result reports the error. */
export const misnames: Defect = (meant, messages) => {
  const evidence = evidenceIn(messages)
  const last = evidence.at(-1) ?? ''
  if (meant.kind === 'call' && meant.name === 'edit_file')
    return { ...meant, args: { ...meant.args, new_content: misspelled(String(meant.args.new_content)) } }
  if (!isChange(last)) return meant
  if (reportsError(last)) {
    const edit = repair(evidence)
    if (edit.kind !== 'call') return meant
    const right = String(edit.args.new_content)
    return { ...edit, args: { ...edit.args, old_content: misspelled(right), new_content: right } }
  }
  const previous = evidence.findLast((text, index) => index < evidence.length - 1 && isChange(text)) ?? ''
  return reportsError(previous) ? runTests : { kind: 'say', text: 'I have repaired it.' }
}

const misspelled = (code: string): string =>
  code.replace(/return [^\n]+/, (statement) => statement.replaceAll(/\ba\b/g, 'aa'))
const reportsError = (result: string): boolean => /caused errors/.test(result)

const complains = (result: string): boolean => /syntax error|does not parse|parse error/i.test(result)
