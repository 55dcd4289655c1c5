import { create } from 'zustand'

export interface QuickPickItem {
  id: string
  label: string
  /** Muted, beside the label. */
  description?: string
  /** Muted, at the right: a shortcut, a size. */
  detail?: string
  icon?: string
  /** CSS colour of the icon, usually a token. */
  iconColor?: string
  /** Marked as the present choice. */
  current?: boolean
  /** Shown, but cannot be chosen; say why in `description`. */
  disabled?: boolean
  /** Starts a group with this heading. */
  heading?: string
}

export interface QuickPickOptions {
  title: string
  placeholder?: string
  /** Shown where nothing matches. */
  empty?: string
  /** All items, filtered here; or a function that answers to what is typed (latest wins). */
  items: readonly QuickPickItem[] | ((query: string) => Promise<readonly QuickPickItem[]>)
  initialQuery?: string
}

interface Open {
  key: number
  options: QuickPickOptions
  answer: (item: QuickPickItem | null) => void
}

export const useQuickPick = create<{ open: Open | null }>(() => ({ open: null }))

let nextKey = 1

/** A list to choose from with a filter on top, under the title bar. @returns null when it is closed without a choice */
export function quickPick(options: QuickPickOptions): Promise<QuickPickItem | null> {
  useQuickPick.getState().open?.answer(null)
  return new Promise((resolve) => {
    const answer = (item: QuickPickItem | null) => {
      useQuickPick.setState({ open: null })
      resolve(item)
    }
    useQuickPick.setState({ open: { key: nextKey++, options, answer } })
  })
}

/** Replaces the items of an open list, where it is the one with this title. What was typed stays. */
export function updateQuickPick(title: string, items: readonly QuickPickItem[]): void {
  const { open } = useQuickPick.getState()
  if (open?.options.title === title) useQuickPick.setState({ open: { ...open, options: { ...open.options, items } } })
}
