import type { CodeDefinitions } from '../../shared/language/codeNavigation.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { create } from 'zustand'
import { Delayer } from '../../shared/async/delayer.ts'

/**
 * Temporary status bar text about matches by name only, or outside the folder; '' if there is none. `found`: the latest
 * definition.
 */
export const useSameNameNote = create<{ text: string; found: CodeDefinitions | null }>(() => ({
  text: '',
  found: null,
}))

const shownMs = 10_000
const hiding = new Delayer(() => useSameNameNote.setState({ text: '' }), shownMs)

function show(text: string): void {
  hiding.cancel()
  useSameNameNote.setState({ text })
  if (text !== '') hiding.start()
}

/** Shows in the status bar which results match by name only, because Monaco cannot. */
export const sameNameNote = {
  /**
   * Called when a definition was found. The user may not jump there, because holding Ctrl over a name also finds it.
   */
  answered(found: CodeDefinitions): void {
    useSameNameNote.setState({ found })
  },
  /** Called after the user jumped to the definition. */
  opened(): void {
    const { found } = useSameNameNote.getState()
    show(
      found && !found.resolved
        ? `"${found.name}" was found by name only, because the import or scope could not be resolved.`
        : '',
    )
    useSameNameNote.setState({ found: null })
  },
  /** Called when the only definition is in a file that cannot be shown. */
  outside(path: string): void {
    show(`The definition is in ${path}, outside this folder and its libraries.`)
  },
  ofReferences(places: readonly { resolved: boolean }[], total: number): void {
    const byName = places.filter(({ resolved }) => !resolved).length
    const listed = formatNumber(places.length)
    const isTruncated = total > places.length + 1
    const matches = `Found by name only: ${byName} of ${plural(places.length, 'reference')}.`
    if (byName === 0) show(isTruncated ? `Showing the first ${listed} of ${plural(total, 'reference')}.` : '')
    else show(isTruncated ? `${matches} Showing the first ${listed} of ${formatNumber(total)}.` : matches)
  },
}
