import { lineHunks } from '../../shared/diff/lineHunks.ts'
import { ToolError } from '../../shared/errors.ts'
import { trimEndCharacters } from '../../shared/text/trimEnd.ts'
import {
  hasEnvelope,
  isEnvelope,
  parseEnvelope,
  type EnvelopeHunk,
  type EnvelopeSection,
  type PatchLine,
} from './envelope.ts'
import { hasBlocks, parseBlocks, type SearchReplace } from './searchReplace.ts'
import { parseUnifiedFiles, type UnifiedPatch } from './unifiedParser.ts'

/** Format of a patch. Models use the format they were trained on, whatever the tool description shows. */
export type PatchFormat = 'envelope' | 'blocks' | 'unified'

/** Detects the format of a patch. @throws ToolError invalid_arguments if a text is not a patch */
export function detectPatchFormat(patch: string): PatchFormat {
  if (isEnvelope(patch)) return 'envelope'
  if (hasBlocks(patch)) return 'blocks'
  // Text before the envelope is an error, which its parser reports.
  if (hasEnvelope(patch)) return 'envelope'
  if (/^(?:@@|--- |\+\+\+ |[+-])/m.test(patch)) return 'unified'
  throw new ToolError(
    'invalid_arguments',
    patch.trim() === ''
      ? 'The patch is empty.'
      : 'The patch cannot be parsed: it has no line that starts a patch in a known format.',
    'Write "*** Begin Patch", sections such as "*** Update File: path" and "*** End Patch"; or a unified diff with "@@" lines; or search and replace blocks.',
  )
}

/**
 * Parses a patch in any format into sections, one per file.
 * @param path the file to patch, instead of those named in blocks and diffs
 * @throws ToolError invalid_arguments if the patch cannot be parsed or does not name a file
 */
export function parsePatchSections(patch: string, path?: string): EnvelopeSection[] {
  switch (detectPatchFormat(patch)) {
    case 'envelope':
      return parseEnvelope(patch)
    case 'blocks':
      return blockSections(parseBlocks(patch) ?? [], path)
    case 'unified':
      return parseUnifiedFiles(patch).map((file) => unifiedSection(file, path))
  }
}

function blockSections(blocks: readonly SearchReplace[], given: string | undefined): EnvelopeSection[] {
  const sections = new Map<string, { at: number; hunks: EnvelopeHunk[] }>()
  let path = given
  for (const block of blocks) {
    if (given === undefined) path = fileName(block.above) ?? path
    if (path === undefined) {
      throw new ToolError(
        'invalid_arguments',
        `The block at line ${block.at} of the patch does not name its file. Patch not applied.`,
        'Write the path of the file on the line above the block.',
      )
    }
    const entry = sections.get(path) ?? { at: block.at, hunks: [] }
    sections.set(path, entry)
    entry.hunks.push({
      at: block.at,
      headers: [],
      lines: markedLines(block),
      endOfFile: false,
      ...(block.startLine ? { hint: block.startLine } : {}),
    })
  }
  return [...sections].map(([name, { at, hunks }]) => ({ kind: 'update', path: name, at, hunks }))
}

/**
 * Returns the path from a line that contains only a path, possibly in Markdown: `src/a.ts`, **src/a.ts**, "###
 * src/a.ts:".
 */
function fileName(line: string | undefined): string | undefined {
  const plain =
    line
      ?.replace(/^#+\s*/, '')
      .replace(/^(?:file(?:name|path)?|path):\s*/i, '')
      .replace(/^[`*"']+/, '') ?? ''
  const name = trimEndCharacters(plain, '`*"\':').trim()
  return /^[^\s<>:"|?*]+$/.test(name) && /[./\\]/.test(name) ? name : undefined
}

/** Converts a block to hunk lines. Lines in both parts are context. */
function markedLines({ search, replace }: SearchReplace): PatchLine[] {
  const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
  const [old, now] = [linesOf(search), linesOf(replace)]
  const marked = (mark: PatchLine['mark'], lines: readonly string[]) => lines.map((text): PatchLine => ({ mark, text }))
  let at = 0
  const changed = lineHunks(old, now).flatMap(({ original, modified }) => {
    const start = original.start - 1
    const context = old.slice(at, start)
    at = start + original.count
    return [
      ...marked(' ', context),
      ...marked('-', old.slice(start, at)),
      ...marked('+', now.slice(modified.start - 1, modified.start - 1 + modified.count)),
    ]
  })
  return [...changed, ...marked(' ', old.slice(at))]
}

function unifiedSection(file: UnifiedPatch, given: string | undefined): EnvelopeSection {
  const { at, hunks, oldPath, newPath } = file
  const names = plainNames(oldPath, newPath)
  const path = given ?? names.now ?? names.old
  if (path === undefined) {
    throw new ToolError(
      'invalid_arguments',
      'The diff does not name its file. Patch not applied.',
      'Write "--- a/path" and "+++ b/path" before its hunks.',
    )
  }
  if (oldPath === '/dev/null') {
    return {
      kind: 'add',
      path,
      at,
      text: hunks
        .flatMap(({ lines }) => lines)
        .map(({ text }) => `${text}\n`)
        .join(''),
    }
  }
  if (newPath === '/dev/null') return { kind: 'delete', path, at }
  if (given === undefined && names.old !== undefined && names.now !== undefined && names.old !== names.now) {
    throw new ToolError(
      'invalid_arguments',
      `The diff renames "${names.old}" to "${names.now}" (line ${at}). Patch not applied.`,
      'Use the same name in both lines, or "*** Update File: old" with "*** Move to: new".',
    )
  }
  return {
    kind: 'update',
    path,
    at,
    hunks: hunks.map(({ at: line, oldStart, lines }) => ({
      at: line,
      headers: [],
      lines,
      endOfFile: false,
      ...(oldStart === undefined ? {} : { hint: oldStart }),
    })),
  }
}

/** Removes git's "a/" and "b/" prefixes. Undefined for /dev/null. */
function plainNames(old: string | undefined, now: string | undefined): { old?: string; now?: string } {
  const oldFile = old === '/dev/null' ? undefined : old
  const nowFile = now === '/dev/null' ? undefined : now
  const git = (oldFile === undefined || oldFile.startsWith('a/')) && (nowFile === undefined || nowFile.startsWith('b/'))
  return git ? { old: oldFile?.slice(2), now: nowFile?.slice(2) } : { old: oldFile, now: nowFile }
}
