import { call, say, type ReplyPart } from '../../src/main/model/scripted/scenario.ts'

type Args = Record<string, unknown>
/** How a model writes a call. */
export type CallFormat = (name: string, args: Args) => ReplyPart[]

/** A native call of the protocol. */
export const native: CallFormat = (name, args) => [call(name, args)]

/** The format of Hermes and Qwen 2.5: JSON between tags in the text. */
export const hermes: CallFormat = (name, args) => [
  say(`<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`),
]

/** The format of Qwen3-Coder: one tag per parameter with an unquoted value. */
export const qwenCoder: CallFormat = (name, args) => {
  const parameters = Object.entries(args).map(
    ([key, value]) => `<parameter=${key}>\n${typeof value === 'string' ? value : JSON.stringify(value)}\n</parameter>`,
  )
  return [say(`<tool_call>\n<function=${name}>\n${parameters.join('\n')}\n</function>\n</tool_call>`)]
}

/** JSON in a code fence, with an extra comma, and with Python's quotes if possible. */
export const brokenJson: CallFormat = (name, args) => {
  const json = JSON.stringify(args).replace(/\}$/, ',}')
  return [call(name, json.includes("'") ? `\`\`\`json\n${json}\n\`\`\`` : json.replaceAll('"', "'"))]
}

/** Numbers and lists as strings, and lists of one element without brackets. */
export const wrongTypes: CallFormat = (name, args) => {
  if (name === 'read_file') return [call('read_file_range', { path: args.path, start_line: '1', end_line: '150' })]
  if (name !== 'edit_file') return [call(name, args)]
  const patch = { old_text: args.old_content, new_text: args.new_content }
  return [call('apply_patch', { path: args.path, patches: JSON.stringify([patch]) })]
}

/** Copies code without its indentation, so that it does not match the file exactly. */
export const careless: CallFormat = (name, args) => {
  if (name !== 'edit_file') return native(name, args)
  return native(name, { ...args, old_content: String(args.old_content).replaceAll(/^ +/gm, '') })
}
