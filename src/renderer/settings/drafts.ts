import { setUnsavedPage } from '../platform/layout/pages.tsx'

// Texts of JSON pages that the user has not saved, by the id of the tab. They survive closing the tab and the window.

const prefix = 'tizona.draft.'

/** The unsaved text of a page; null if there is none. */
export function draftOf(tabId: string): string | null {
  return localStorage.getItem(`${prefix}${tabId}`)
}

/** Stores the unsaved text of a page; null removes it. */
export function storeDraft(tabId: string, text: string | null): void {
  if (text === null) localStorage.removeItem(`${prefix}${tabId}`)
  else localStorage.setItem(`${prefix}${tabId}`, text)
  setUnsavedPage(tabId, text !== null)
}
