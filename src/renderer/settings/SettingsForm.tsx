import type { ReactNode } from 'react'

interface SettingsFormProps {
  label: string
  onSubmit: () => void
  /** Called on Escape and on "Cancel". */
  onCancel: () => void
  children: ReactNode
}

/** Scrolls to a form that opened below the visible part of the page. */
function showWhole(form: HTMLElement | null): void {
  form?.scrollIntoView({ block: 'nearest' })
}

/** Form that adds or edits a list entry. See `useOpenForm` for the focus. */
export function SettingsForm({ label, onSubmit, onCancel, children }: SettingsFormProps) {
  return (
    <form
      ref={showWhole}
      className="endpoint-form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        onCancel()
      }}
    >
      {children}
    </form>
  )
}
