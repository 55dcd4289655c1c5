import type { ReactNode } from 'react'
import { Button } from '../ui/index.ts'

interface SettingsFormProps {
  label: string
  onSubmit: () => void
  /** Called on Escape and on "Cancel". */
  onCancel: () => void
  /** Label of the button that submits. Default: the form has buttons of its own. */
  submit?: string
  children: ReactNode
}

/** Scrolls to a form that opened below the visible part of the page. */
function showWhole(form: HTMLElement | null): void {
  form?.scrollIntoView({ block: 'nearest' })
}

/** Form that adds or edits a list entry. See `useOpenForm` for the focus. */
export function SettingsForm({ label, onSubmit, onCancel, submit, children }: SettingsFormProps) {
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
      {submit !== undefined && (
        <div className="endpoints-actions">
          <Button type="submit" variant="primary">
            {submit}
          </Button>
          <Button variant="ghost" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      )}
    </form>
  )
}
