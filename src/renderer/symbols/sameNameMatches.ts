import type { CodeDefinitions } from '../../shared/codeNavigation.ts'
import { formatNumber } from '../../shared/formatNumber.ts'
import { plural, pluralNoun } from '../../shared/plural.ts'
import { create } from 'zustand'

/** Temporary text in the status bar about the last jump or list of references; '' if there is none. */
export const useSameNameNote = create<{ text: string }>(() => ({ text: '' }))

const shownMs = 10_000
let timer: ReturnType<typeof setTimeout> | undefined

function show(text: string): void {
  clearTimeout(timer)
  useSameNameNote.setState({ text })
  if (text !== '') timer = setTimeout(() => useSameNameNote.setState({ text: '' }), shownMs)
}

let last: CodeDefinitions | null = null

/** Reports results that are matched only by name, because Monaco does not show it. */
export const sameNameNote = {
  /** A definition was found; it may be looked at only (Ctrl held over a name). */
  answered(found: CodeDefinitions): void {
    last = found
  },
  /** Called after the user jumped to the definition. */
  opened(): void {
    show(last && !last.resolved ? `“${last.name}” was found by name only: import and scope could not be followed` : '')
    last = null
  },
  ofReferences(places: readonly { resolved: boolean }[], total: number): void {
    const byName = places.filter(({ resolved }) => !resolved).length
    const cut =
      total > places.length + 1 ? `, the first ${formatNumber(places.length)} of ${formatNumber(total)} are shown` : ''
    show(
      byName === 0 && cut === ''
        ? ''
        : `${byName} of ${plural(places.length, 'reference')} ${pluralNoun(places.length, 'agrees', 'agree')} by name only${cut}`,
    )
  },
}
