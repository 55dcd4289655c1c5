import { UnreadableError, type DocumentJob } from './documentJob.ts'

/** Characters. What lies behind is not read: nobody reads so much at once, and a page range gives it. */
const maxLength = 1_000_000

interface Pages {
  count: number
  range: DocumentJob['pages']
  /** What a page is called: `Page`, `Slide`, `Chapter`. */
  word: string
  read(number: number): Promise<string> | string
  /** How a line between the pages is written. */
  head(words: string): string
}

/** The pages asked for, each below a line that names it. Throws `no_page` where the first is behind the last there is. */
export async function collectPages({ count, range, word, read, head }: Pages): Promise<string> {
  const first = range?.first ?? 1
  if (first > Math.max(count, 1)) throw new UnreadableError('no_page', String(count))
  const last = Math.min(range?.last ?? count, count)
  const parts: string[] = []
  let length = 0
  for (let number = first; number <= last; number += 1) {
    const text = await read(number)
    parts.push(`${head(`${word} ${number} of ${count}`)}\n${text}`)
    length += text.length
    if (length > maxLength && number < last) {
      parts.push(
        head(`${word}s ${number + 1} to ${last} were not read. Ask for them with pages: "${number + 1}-${last}".`),
      )
      break
    }
  }
  return parts.join('\n\n')
}
