/**
 * Removes the given characters from the end of a text. A regular expression such as `/[.,]+$/` would take quadratic
 * time if the text contains many of these characters.
 */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
