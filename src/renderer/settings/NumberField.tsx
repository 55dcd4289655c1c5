import { useEffect, useState } from 'react'
import { TextField } from '../ui/index.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'

interface NumberFieldProps {
  label: string
  hint?: string
  /** null if the field is empty. */
  value: number | null
  min: number
  max: number
  /** 1 allows whole numbers only. */
  step: number
  placeholder?: string | undefined
  /** Whether an empty field is an error. */
  required: boolean
  onSave: (value: number | null) => void
}

/** Field for a number. Saves on blur if the number is valid. */
export function NumberField({ label, hint, value, min, max, step, placeholder, required, onSave }: NumberFieldProps) {
  const shown = value === null ? '' : String(value)
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const isEmpty = text.trim() === ''
  const number = isEmpty ? null : Number(text)
  const isInRange = number !== null && number >= min && number <= max && (step !== 1 || Number.isInteger(number))
  const isValid = isInRange || (isEmpty && !required)
  return (
    <TextField
      label={label}
      hint={hint}
      error={
        isValid ? undefined : `Enter a ${step === 1 ? 'whole number' : 'number'} from ${min} to ${formatNumber(max)}.`
      }
      inputMode="decimal"
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (isValid && number !== value) onSave(number)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}
