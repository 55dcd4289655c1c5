/**
 * A text without the characters at its end. An expression such as `/[.,]+$/` takes square time: it begins again at each of them, wherever
 * they are in the text.
 */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
