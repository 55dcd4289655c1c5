import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'

interface FieldProps {
  /** Label above the field. With `hideLabel`, only screen readers get it. */
  label: string
  hideLabel?: boolean
  hint?: ReactNode
  error?: string
}

interface FrameProps extends FieldProps {
  id: string
  children: ReactNode
}

function FieldFrame({ id, label, hideLabel = false, hint, error, children }: FrameProps) {
  return (
    <div className="ui-field">
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : 'ui-field-label'}>
        {label}
      </label>
      {children}
      {error ? (
        <span id={`${id}-note`} className="ui-field-error" role="alert">
          {error}
        </span>
      ) : (
        hint && (
          <span id={`${id}-note`} className="ui-field-hint">
            {hint}
          </span>
        )
      )}
    </div>
  )
}

/** Returns the attributes that connect a control with its hint or error. */
function noteAttributes(id: string, { hint, error }: FieldProps) {
  return { id, 'aria-invalid': error ? true : undefined, 'aria-describedby': hint || error ? `${id}-note` : undefined }
}

type TextFieldProps = FieldProps & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }

export function TextField({ label, hideLabel, hint, error, className = '', ...rest }: TextFieldProps) {
  const id = useId()
  const field = { label, hideLabel, hint, error }
  return (
    <FieldFrame id={id} {...field}>
      <input className={`ui-input ${className}`} spellCheck={false} {...rest} {...noteAttributes(id, field)} />
    </FieldFrame>
  )
}

type TextAreaProps = FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }

export function TextArea({ label, hideLabel, hint, error, className = '', ...rest }: TextAreaProps) {
  const id = useId()
  const field = { label, hideLabel, hint, error }
  return (
    <FieldFrame id={id} {...field}>
      <textarea className={`ui-input ${className}`} spellCheck={false} {...rest} {...noteAttributes(id, field)} />
    </FieldFrame>
  )
}

export interface SelectOption {
  value: string
  label: string
  disabled?: boolean
}

type SelectProps = FieldProps &
  SelectHTMLAttributes<HTMLSelectElement> & { options: readonly SelectOption[]; ref?: Ref<HTMLSelectElement> }

export function Select({ label, hideLabel, hint, error, options, className = '', ...rest }: SelectProps) {
  const id = useId()
  const field = { label, hideLabel, hint, error }
  return (
    <FieldFrame id={id} {...field}>
      <select className={`ui-input ${className}`} {...rest} {...noteAttributes(id, field)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}
