import { useEffect, useState } from 'react'
import { TextField } from '../ui/index.ts'
import { formatNumber } from '../../shared/formatNumber.ts'

interface NumberFieldProps {
  label: string
  hint?: string
  value: number
  min: number
  max: number
  /** 1: whole numbers only. */
  step: number
  onSave: (value: number) => void
}

/** Saved when it is left, if it is a number in its range. */
export function NumberField({ onSave, ...field }: NumberFieldProps) {
  return <OptionalNumberField {...field} required onSave={(value) => value !== null && onSave(value)} />
}

interface OptionalNumberFieldProps extends Omit<NumberFieldProps, 'value' | 'onSave'> {
  /** null: the field is empty. */
  value: number | null
  placeholder?: string
  /** Whether an empty field is an error. */
  required?: boolean
  onSave: (value: number | null) => void
}

/** A number that may be left empty. Saved when it is left, if it is valid. */
export function OptionalNumberField({
  label,
  hint,
  value,
  min,
  max,
  step,
  placeholder,
  required = false,
  onSave,
}: OptionalNumberFieldProps) {
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
      error={isValid ? undefined : `A ${step === 1 ? 'whole number' : 'number'} from ${min} to ${formatNumber(max)}.`}
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
