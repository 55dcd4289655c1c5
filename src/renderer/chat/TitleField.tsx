interface TitleFieldProps {
  className?: string
  label: string
  value: string
  onChange: (title: string) => void
  /** Called when the field loses the focus, including after Enter. */
  onDone: () => void
  onCancel: () => void
}

/** Text field to rename a conversation in place. Enter accepts the title, Escape cancels. */
export function TitleField({ className = '', label, value, onChange, onDone, onCancel }: TitleFieldProps) {
  return (
    <input
      dir="auto"
      className={`ui-input ${className}`}
      aria-label={label}
      value={value}
      maxLength={200}
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onDone}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
        else if (event.key === 'Escape') onCancel()
      }}
    />
  )
}
