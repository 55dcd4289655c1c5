import { UnreadableError, type DocumentJob } from './documentJob.ts'

/** Maximum characters of all pages; the rest can be read with a page range. */
const maxLength = 1_000_000

interface Pages {
  count: number
  range: DocumentJob['pages']
  /** Name of a page: `Page`, `Slide`, `Chapter`. */
  pageName: string
  read(number: number): Promise<string> | string
  /** Formats the heading of a page. */
  formatHeading(words: string): string
}

/**
 * Returns the requested pages, each below a heading.
 * @throws UnreadableError no_page if the first page does not exist
 */
export async function collectPages({
  count,
  range,
  pageName: word,
  read,
  formatHeading: head,
}: Pages): Promise<string> {
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
        head(`${word}s ${number + 1} to ${last} were not read. Request them with pages: "${number + 1}-${last}".`),
      )
      break
    }
  }
  return parts.join('\n\n')
}
