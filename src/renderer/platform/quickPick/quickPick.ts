import { create } from 'zustand'

export interface QuickPickItem {
  id: string
  label: string
  /** Muted text after the label. */
  description?: string
  /** Muted text on the right, for example a shortcut or a size. */
  detail?: string
  /** Additional words that match the item. */
  keywords?: string
  icon?: string
  /** A file or folder whose icon the item shows instead. */
  file?: { path: string; kind: 'file' | 'folder' }
  /** CSS color of the icon, usually a token. */
  iconColor?: string
  /** Whether this item is the current choice. */
  current?: boolean
  /** Whether the item cannot be chosen. `description` gives the reason. */
  disabled?: boolean
  /** Starts a group with this heading. */
  heading?: string
  /** In an answer: whether the user chose the item with Ctrl+Enter, which opens it to the side. */
  toSide?: boolean
}

export interface QuickPickOptions {
  title: string
  placeholder?: string
  /** Text shown if no item matches. */
  empty?: string
  /** All items, which the picker filters, or a function that returns the items for a query. The latest query wins. */
  items: readonly QuickPickItem[] | ((query: string) => Promise<readonly QuickPickItem[]>)
  /** If `items` is a function: returns the part of a query that items match, for highlighting. */
  matched?: (query: string) => string
  initialQuery?: string
  /** Called with the item that is highlighted, for a preview. */
  onHighlight?: (item: QuickPickItem) => void
}

interface Open {
  key: number
  options: QuickPickOptions
  answer: (item: QuickPickItem | null) => void
}

export const useQuickPick = create<{ open: Open | null }>(() => ({ open: null }))

let nextKey = 1

/** Shows a picker with a filter field. @returns the chosen item, null if the picker is closed */
export function quickPick(options: QuickPickOptions): Promise<QuickPickItem | null> {
  useQuickPick.getState().open?.answer(null)
  const key = nextKey++
  return new Promise((resolve) => {
    const answer = (item: QuickPickItem | null) => {
      // A picker that another one replaced may still lose the focus, which resolves it again.
      if (useQuickPick.getState().open?.key === key) useQuickPick.setState({ open: null })
      resolve(item)
    }
    useQuickPick.setState({ open: { key, options, answer } })
  })
}

/** Closes the open picker if it has this title, as if the user had. */
export function closeQuickPick(title: string): void {
  const { open } = useQuickPick.getState()
  if (open?.options.title === title) open.answer(null)
}

/** Replaces the items of the open picker if it has this title. Keeps the query. */
export function updateQuickPick(title: string, items: QuickPickOptions['items']): void {
  const { open } = useQuickPick.getState()
  if (open?.options.title === title) useQuickPick.setState({ open: { ...open, options: { ...open.options, items } } })
}
