import type { ChangedFile, ToolItem } from '../../../shared/conversation.ts'
import { plural } from '../../../shared/plural.ts'
import { truncateOutput } from '../../tools/common/truncateOutput.ts'

/** Maximum characters of a failure's first line, which remains if its result is left out. */
const maxErrorLine = 200

/** Returns the result of a call for the model: whole, truncated in the middle, or replaced by a note. */
export function resultText(item: ToolItem): string {
  if (!item.result) return 'Error (cancelled): The call was cancelled before it ran.'
  const warning = item.warning === undefined ? '' : `\n\n[${item.warning}]`
  return `${truncated(item, item.result.text)}${warning}${changedNote(item.changedFiles)}`
}

/** Returns a note about files that changed since the model read them, to append to a message or result. */
export function changedNote(files: readonly ChangedFile[] | undefined): string {
  const paths = (files ?? []).map(({ path }) => path).join(', ')
  return paths === '' ? '' : `\n\n[Changed since you read it: ${paths}. Read it again before you edit it.]`
}

function truncated(item: ToolItem, text: string): string {
  const { keep, stale, name, result } = item
  if (keep === 0) {
    if (result && !result.ok) return `${text.slice(0, maxErrorLine).split('\n')[0]} [The rest is left out.]`
    const of = result?.view.kind === 'file' ? `${name} ${result.view.path}` : name
    const why = stale ? 'left out: the file changed after this read' : 'left out to save room'
    return `[Result of ${of}, ${countLines(text)}, ${why}. Call it again if you need it.]`
  }
  const short = keep === undefined || text.length <= keep ? text : excerpt(text, keep)
  return stale ? `[This file changed after this read.]\n${short}` : short
}

/** Returns the start and end of a text. @param characters approximate maximum length */
export function excerpt(text: string, characters: number): string {
  // Truncation counts bytes, and a character has up to four.
  const bytesEach = Buffer.byteLength(text) / Math.max(1, text.length)
  return truncateOutput(
    { text },
    { maxBytes: Math.floor(characters * bytesEach), readMoreHint: 'Ask for the part you need' },
  ).text
}

function countLines(text: string): string {
  return plural(text.split('\n').length, 'line')
}
