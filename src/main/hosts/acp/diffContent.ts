import { join } from 'node:path'
import type { ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk'
import { hunkText } from '../../../shared/diff/hunkRows.ts'
import { parseUnifiedDiff } from '../../../shared/diff/unifiedDiff.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'

/** A diff's note about a missing final line break, which does not mean that lines are missing. */
const noLineBreak = 'No newline at end of file'

interface Hunk {
  /** First line of the hunk in the new text. 1-based. */
  line: number
  oldText: string
  newText: string
  /** Which parts of the change the hunk does not show. */
  notes: string[]
}

/**
 * Converts a file's diff to protocol content, which has old and new text instead of a diff: one entry per hunk, and one
 * that states what a truncated diff omits. A change without text, e.g. of a binary file, becomes a sentence.
 */
export function diffContent(root: string, file: FileDiff): ToolCallContent[] {
  const path = join(root, file.path)
  const hunks = parseHunks(file.diff)
  if (hunks.length === 0) {
    const from = file.from === undefined ? '' : ` from ${file.from}`
    return [textContent(`${file.path}: ${file.change}${from}`)]
  }
  const notes = hunks.flatMap((hunk) => hunk.notes)
  return [
    ...hunks.map(({ oldText, newText }) => ({
      type: 'diff' as const,
      path,
      oldText: file.change === 'created' ? null : oldText,
      newText,
    })),
    ...notes.map((note) => textContent(`${file.path} is not shown completely: ${note}.`)),
  ]
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

/** Returns the location of a file's first change. */
export function diffLocation(root: string, { path, diff }: FileDiff): ToolCallLocation {
  const line = parseHunks(diff)[0]?.line
  return { path: join(root, path), ...(line !== undefined && line > 0 && { line }) }
}

function parseHunks(diff: string): Hunk[] {
  return parseUnifiedDiff(diff).map((hunk) => ({
    line: hunk.newStart,
    oldText: hunkText(hunk, 'original'),
    newText: hunkText(hunk, 'modified'),
    notes: hunk.lines.filter(({ kind, text }) => kind === 'note' && text !== noLineBreak).map(({ text }) => text),
  }))
}
