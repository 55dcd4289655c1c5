/** Shortens a text to `max` UTF-16 units and an ellipsis, without splitting a character. */
export function truncate(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}
