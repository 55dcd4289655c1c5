import { calledTool } from '../../../shared/tools/callArguments.ts'
import type { ChangedFile, ToolItem } from '../../../shared/agent/conversation.ts'
import type { ToolErrorCode } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { memoizeObjects } from '../../base/memoize.ts'
import { frameResult } from '../../base/resultFrame.ts'
import type { ToolResult, ToolView } from '../../../shared/tools/tool.ts'
import { truncateOutput, type TruncationRule } from '../../tools/common/truncateOutput.ts'

/** Maximum characters of a failure's first line, which remains if its result is left out. */
const maxErrorLine = 200
const skillTool = 'load_skill'

/** Returns the result of a call for the model: whole, truncated in the middle, or replaced by a note. */
export const resultText: (item: ToolItem) => string = memoizeObjects(writeResult)

function writeResult(item: ToolItem): string {
  if (!item.result) return 'Error (cancelled): The call was cancelled before it ran.'
  const warning = item.warning === undefined ? '' : `\n\n[${item.warning}]`
  const reviewed = item.reviewNote === undefined ? '' : `\n\n[${item.reviewNote}]`
  return `${framed(item)}${warning}${reviewed}${changedNote(item.changedFiles)}`
}

/** Returns a note about files that changed since the model read them, to append to a message or result. */
export function changedNote(files: readonly ChangedFile[] | undefined): string {
  const paths = (files ?? []).map(({ path }) => path).join(', ')
  return paths === '' ? '' : `\n\n[Changed since you read it: ${paths}. Read it again before you edit it.]`
}

/** Kinds of results whose text Tizona writes itself, without content from other programs. */
const ownViews: readonly ToolView['kind'][] = ['diff', 'todos']
/** Error codes whose message contains text from another program. */
const foreignFailures: readonly ToolErrorCode[] = ['server_error', 'network_error']

/**
 * Marks text from files, commands, the web and MCP servers as data, so that the model can distinguish it from Tizona's
 * notes. Skills are not marked, because they are instructions that the user trusts.
 */
function framed(item: ToolItem): string {
  const { result, keep, stale, name } = item
  if (!result) return ''
  if (keep === 0) return omitted(item, result)
  const text =
    keep === undefined || result.text.length <= keep ? result.text : excerpt(result.text, keep, linesHint(result))
  const staleNote = stale ? '[This file changed after this read.]\n' : ''
  return `${staleNote}${isForeign(result, name) ? frameResult(text) : text}`
}

function isForeign({ error, view, ranTool }: ToolResult, name: string): boolean {
  if ((ranTool ?? name) === skillTool) return false
  return error ? foreignFailures.includes(error.code) : !ownViews.includes(view.kind)
}

/** Returns a note in place of a result that was left out. */
function omitted(item: ToolItem, { ok, text, view }: ToolResult): string {
  const { name } = calledTool(item)
  if (!ok) return `${text.slice(0, maxErrorLine).split('\n')[0]} [The rest was removed to save room.]`
  const of = view.kind === 'file' ? `${name} ${view.path}` : name
  const result = `${of} (${countLines(text)})`
  return item.stale
    ? `[The file changed after this read, so the result of ${result} was removed. Call it again if you need it.]`
    : `[The result of ${result} was removed to save room. Call it again if you need it.]`
}

/** Returns a hint that names the missing lines of a file, if the result shows lines of a file. */
function linesHint({ view, truncated }: ToolResult): TruncationRule['missingLinesHint'] {
  if (view.kind !== 'file' || view.unsaved || truncated) return undefined
  const { path, startLine } = view
  return (first, last) => `To see lines ${startLine + first - 1} to ${startLine + last - 1} of ${path}, read that part`
}

/**
 * Returns the start and end of a text.
 * @param characters approximate maximum length
 * @param missingLinesHint how to get the missing lines
 */
export function excerpt(
  text: string,
  characters: number,
  missingLinesHint?: TruncationRule['missingLinesHint'],
): string {
  // Truncation counts bytes, and a character has up to four.
  const bytesEach = Buffer.byteLength(text) / Math.max(1, text.length)
  return truncateOutput(
    { text },
    {
      maxBytes: Math.floor(characters * bytesEach),
      readMoreHint: 'Ask for the part you need',
      ...(missingLinesHint && { missingLinesHint }),
    },
  ).text
}

function countLines(text: string): string {
  return plural(text.replace(/\n$/, '').split('\n').length, 'line')
}
