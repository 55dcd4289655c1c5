import { join } from 'node:path'
import type { ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk'
import type { FileDiff } from '../../../shared/tool.ts'

interface Hunk {
  /** First line of the hunk in the new text. 1-based. */
  line: number
  oldText: string
  newText: string
}

/**
 * Converts the diff of a file to content of the protocol, which has old and new text instead of a diff: one entry per
 * hunk. A change without text, e.g. of a binary file, becomes a sentence.
 */
export function diffContent(root: string, file: FileDiff): ToolCallContent[] {
  const path = join(root, file.path)
  const hunks = parseHunks(file.diff)
  if (hunks.length === 0) {
    const from = file.from === undefined ? '' : ` from ${file.from}`
    return [{ type: 'content', content: { type: 'text', text: `${file.path}: ${file.change}${from}` } }]
  }
  return hunks.map(({ oldText, newText }) => ({
    type: 'diff',
    path,
    oldText: file.change === 'created' ? null : oldText,
    newText,
  }))
}

/** Returns the first changed place of a file. */
export function diffLocation(root: string, { path, diff }: FileDiff): ToolCallLocation {
  const line = parseHunks(diff)[0]?.line
  return { path: join(root, path), ...(line !== undefined && line > 0 && { line }) }
}

function parseHunks(diff: string): Hunk[] {
  const hunks: Hunk[] = []
  let current: Hunk | undefined
  let sides: readonly ('oldText' | 'newText')[] = []
  const lines = diff.split('\n')
  // The diff ends with a line break.
  if (lines.at(-1) === '') lines.pop()
  for (const line of lines) {
    const header = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line)
    if (header) {
      current = { line: Number(header[1]), oldText: '', newText: '' }
      hunks.push(current)
    } else if (current && line.startsWith('\\')) {
      // "\ No newline at end of file"
      for (const side of sides) current[side] = current[side].slice(0, -1)
    } else if (current) {
      sides = sidesOf(line)
      for (const side of sides) current[side] += `${line.slice(1)}\n`
    }
  }
  return hunks
}

function sidesOf(line: string): readonly ('oldText' | 'newText')[] {
  if (line.startsWith('-')) return ['oldText']
  if (line.startsWith('+')) return ['newText']
  return ['oldText', 'newText']
}
