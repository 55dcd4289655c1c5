import { useEffect, useId, useRef, type ReactNode } from 'react'
import { IconButton } from './Button.tsx'

interface DialogProps {
  title: string
  /** Called on Escape, the close button, or a click outside the dialog. */
  onClose: () => void
  children: ReactNode
  /** Buttons, the primary one last. */
  footer?: ReactNode
  className?: string
  /** Maximum width in pixels. */
  width?: number
  /** Whether to make the body focusable, so that keys can scroll it. For dialogs that contain only text. */
  textOnly?: boolean
}

/**
 * A modal dialog, open while mounted. Uses <dialog>, so the browser traps the focus. Focuses the control with
 * `data-autofocus`, or else the first one, and restores the focus on close.
 */
export function Dialog({ title, onClose, children, footer, className = '', width, textOnly = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    const previousFocus = document.activeElement
    if (dialog && !dialog.open) dialog.showModal()
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      dialog?.close()
      // The browser restores the focus only if the dialog is still in the page.
      if (document.activeElement === document.body && previousFocus instanceof HTMLElement) previousFocus.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={`ui-dialog ${className}`}
      style={width ? { width: `min(${width}px, calc(100vw - 48px))` } : undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className="ui-dialog-header">
        <h2 id={titleId} className="ui-dialog-title">
          {title}
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div className="ui-dialog-body" tabIndex={textOnly ? 0 : undefined}>
        {children}
      </div>
      {footer && <div className="ui-dialog-footer">{footer}</div>}
    </dialog>
  )
}
