import type { ChatMessage } from '../../src/main/model/clients/modelClient.ts'
import { evidenceIn, isChange, repair, runTests, type Intent } from './mind.ts'

/** What a model does instead of what it should, seeing the messages it is sent. */
export type Mischief = (meant: Intent, messages: readonly ChatMessage[]) => Intent

/** Reads the same file again and again before an edit, until a result tells it so. */
export const loops: Mischief = (meant, messages) => {
  const warned = evidenceIn(messages).some((text) => /same (call|arguments|result)|repeat/i.test(text))
  return meant.kind === 'call' && meant.name === 'edit_file' && !warned
    ? { kind: 'call', name: 'read_file', args: { path: meant.args.path } }
    : meant
}

/** Says what it will do and does not do it, unless it was just reminded. */
export const promises: Mischief = (meant, messages) => {
  const promised = messages.some(({ role, content }) => role === 'assistant' && content.startsWith('Now I will'))
  if (meant.kind !== 'call' || meant.name !== 'edit_file' || promised) return meant
  return { kind: 'say', text: `Now I will edit the file ${String(meant.args.path)} to repair the function.` }
}

/** Answers with nothing after its first result, unless it was just reminded. */
export const fallsSilent: Mischief = (meant, messages) => {
  const calls = messages.filter(({ role }) => role === 'tool').length
  const reminded = messages.at(-1)?.role === 'user'
  return calls === 1 && !reminded ? { kind: 'say', text: '' } : meant
}

/** Forgets a brace in each edit, and takes the work for done when nobody tells it. */
export const hasty: Mischief = (meant, messages) => {
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

const complains = (result: string): boolean => /syntax error|does not parse|parse error/i.test(result)
