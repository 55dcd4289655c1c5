const open = '<tool_data>\n'
const close = '\n</tool_data>'
/** A closing tag in any spelling that a model may read as one. The limit on whitespace keeps the match linear. */
const closing = /<(\s{0,20}\/\s{0,20}tool_data)/gi

/**
 * Marks text as data returned by a tool. The text cannot close the frame: a closing tag inside it gets a backslash.
 * The same text always gives the same bytes, which keeps the server's prompt cache valid.
 */
export function frameResult(text: string): string {
  return `${open}${text.replace(closing, '<\\$1')}${close}`
}

/** Removes the frame but keeps the text after it. Returns unframed text unchanged. */
export function unframeResult(text: string): string {
  const end = text.lastIndexOf(close)
  if (!text.startsWith(open) || end === -1) return text
  return text.slice(open.length, end) + text.slice(end + close.length)
}
