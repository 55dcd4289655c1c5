import { useCallback, useRef, useState } from 'react'

/** The open form of a list, at most one. */
export interface OpenForm {
  /** Id of the entry being edited, or a name for a new one; null if no form is open. */
  editing: string | null
  open: (id: string) => void
  close: () => void
  /** Returns a `ref` for the control that opens a form. It gets the focus back when the form closes. */
  opener: (id: string) => (control: HTMLElement | null) => void
}

/** State of a list's forms, each of which replaces the control that opens it. */
export function useOpenForm(): OpenForm {
  const [editing, setEditing] = useState<string | null>(null)
  const closed = useRef<string>(null)
  const open = useCallback((id: string) => {
    closed.current = null
    setEditing(id)
  }, [])
  return {
    editing,
    open,
    close: () => {
      closed.current = editing
      // Another form may have been opened while this one was saved.
      setEditing((now) => (now === editing ? null : now))
    },
    opener: (id) => (control) => {
      if (control === null || closed.current !== id) return
      closed.current = null
      // The user may have moved the focus while the form was saved.
      if (document.activeElement === document.body) control.focus()
    },
  }
}
