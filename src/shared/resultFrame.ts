const open = '<tool_data>\n'
const close = '\n</tool_data>'
/** A closing tag in any spelling that a model may read as one. The length of white space is limited for linear time. */
const closing = /<(\s{0,20}\/\s{0,20}tool_data)/gi

/**
 * Marks a text as data that a tool returned, for the model. The text cannot close the frame: a closing tag in it gets a
 * backslash. Equal texts give equal bytes, so that the server's prompt cache stays valid.
 */
export function frameResult(text: string): string {
  return `${open}${text.replace(closing, '<\\$1')}${close}`
}

/** Returns a framed text, and what follows the frame, without the tags. Other texts stay as they are. */
export function unframeResult(text: string): string {
  const end = text.lastIndexOf(close)
  if (!text.startsWith(open) || end === -1) return text
  return text.slice(open.length, end) + text.slice(end + close.length)
}
