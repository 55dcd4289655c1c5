import { useEffect, useRef, useState } from 'react'
import { formatKeys, keysOf } from '../platform/keymap/keyNotation.ts'
import { Button, Dialog, Icon } from '../ui/index.ts'

interface KeyCaptureDialogProps {
  /** Title of the command. */
  command: string
  /** Returns the titles of other commands that have these keys. */
  conflictsOf: (keys: string) => readonly string[]
  onChoose: (keys: string) => void
  onClose: () => void
}

/**
 * Dialog that records a shortcut of up to two presses. Enter accepts, Escape cancels and Backspace clears; with a
 * modifier they are recorded like other keys. Tab leaves the field.
 */
export function KeyCaptureDialog({ command, conflictsOf, onChoose, onClose }: KeyCaptureDialogProps) {
  const [presses, setPresses] = useState<readonly string[]>([])
  const keys = presses.join(' ')
  const conflicts = keys === '' ? [] : conflictsOf(keys)
  const field = useRef<HTMLInputElement>(null)
  const state = useRef({ keys, onChoose })
  state.current = { keys, onChoose }

  useEffect(() => {
    const element = field.current
    if (!element) return
    // A native listener, because the window's own listener must not see the keys.
    const onKeyDown = (event: KeyboardEvent) => {
      if (['Control', 'Shift', 'Alt', 'Meta', 'Tab', 'Escape'].includes(event.key)) return
      event.preventDefault()
      event.stopPropagation()
      const press = keysOf(event)
      if (press === 'Enter') {
        if (state.current.keys !== '') state.current.onChoose(state.current.keys)
      } else if (press === 'Backspace') setPresses([])
      else setPresses((before) => (before.length >= 2 ? [press] : [...before, press]))
    }
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [])

  return (
    <Dialog
      title={`Shortcut for “${command}”`}
      width={460}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={keys === ''} onClick={() => onChoose(keys)}>
            Use shortcut
          </Button>
        </>
      }
    >
      <p className="keymap-hint" id="keymap-hint">
        Press the keys, then Enter. Two presses make a chord. Backspace clears.
      </p>
      <input
        ref={field}
        className="ui-input keymap-capture"
        aria-label="Keys"
        aria-describedby="keymap-hint keymap-conflicts"
        data-autofocus
        readOnly
        value={presses.map((press) => formatKeys(press)).join(' ')}
        placeholder="Press keys"
      />
      <p className="keymap-conflict-note" id="keymap-conflicts" role="status">
        {conflicts.length > 0 && (
          <>
            <Icon name="warning" /> Also used by {conflicts.slice(0, 3).join(', ')}
            {conflicts.length > 3 && ` and ${conflicts.length - 3} more`}. Your shortcut has precedence.
          </>
        )}
      </p>
    </Dialog>
  )
}
