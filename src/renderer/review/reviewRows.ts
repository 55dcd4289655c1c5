import type { ReviewFile } from '../../shared/review/review.ts'

export const changeLetters = { created: 'A', changed: 'M', deleted: 'D', renamed: 'R' } as const
export const changeNames = { created: 'added', changed: 'changed', deleted: 'deleted', renamed: 'renamed' } as const

/** Pure: returns the files whose path contains all words of the filter. Ignores case. */
export function filterFiles(files: readonly ReviewFile[], filter: string): ReviewFile[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return files.filter(({ path, renamedFrom = '' }) => {
    const text = `${path} ${renamedFrom}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const octal = (mode: number) => (mode & 0o777).toString(8).padStart(3, '0')

/**
 * Pure: returns notes about a file that its counts do not show: rename, permissions, content without lines, and
 * problems.
 */
export function notesOf(file: ReviewFile): string[] {
  return [
    ...(file.renamedFrom !== undefined ? [`Renamed: ${file.renamedFrom} → ${file.path}.`] : []),
    ...(file.mode ? [`Permissions: ${octal(file.mode.from)} → ${octal(file.mode.to)}.`] : []),
    ...(file.content === 'binary' ? ['This file is binary. Keep or undo it as a whole.'] : []),
    ...(file.content === 'tooLarge' ? ['This file is too large to show its lines. Keep or undo it as a whole.'] : []),
    ...(file.earlier ? ['A later turn changed this file too.'] : []),
    ...(file.problem !== undefined ? [file.problem] : []),
  ]
}

/** Pure: returns the short text that replaces the counts of a file without lines; null if it has lines. */
export function shortNote(file: ReviewFile): string | null {
  if (file.content === 'binary') return 'binary'
  if (file.content === 'tooLarge') return 'large'
  if (file.added === 0 && file.removed === 0 && file.mode) return octal(file.mode.to)
  return null
}
