const open = '<tool_data>\n'
const close = '\n</tool_data>'
/** A closing tag in any spelling that a model may read as one. The limit on whitespace keeps the match linear. */
const closing = /<(\s{0,20}\/\s{0,20}tool_data)/gi

/**
 * Marks a text as data that a tool returned, for the model. The text cannot close the frame: a closing tag in it gets a
 * backslash. Equal texts give equal bytes, so that the server's prompt cache stays valid.
 */
export function frameResult(text: string): string {
  return `${open}${text.replace(closing, '<\\$1')}${close}`
}

/**
 * Returns a framed text without the tags, followed by the text after the frame. Other texts are returned unchanged.
 */
export function unframeResult(text: string): string {
  const end = text.lastIndexOf(close)
  if (!text.startsWith(open) || end === -1) return text
  return text.slice(open.length, end) + text.slice(end + close.length)
}
