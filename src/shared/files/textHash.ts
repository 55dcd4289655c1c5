/**
 * Pure: returns a short value that differs for different texts, with the length of the text. It finds out that a text
 * has changed; it is no protection against texts made to collide (FNV-1a).
 */
export function textHash(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return `${text.length}-${(hash >>> 0).toString(16)}`
}
