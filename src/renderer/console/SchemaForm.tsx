import { useId } from 'react'
import { Button, Icon, IconButton, Select } from '../ui/index.ts'
import { isGroup, isRows, type Draft, type Field, type FieldProblem } from './schemaFields.ts'

interface FormProps {
  fields: readonly Field[]
  draft: Draft | undefined
  problems: readonly FieldProblem[]
  onChange: (draft: Draft) => void
  /** Path of the parent group with a trailing dot; '' at the top level. */
  prefix?: string
}

/** Form controls for the fields of a JSON Schema. */
export function SchemaForm({ fields, draft, problems, onChange, prefix = '' }: FormProps) {
  const values = isGroup(draft) ? draft : {}
  return (
    <div className="schema-form">
      {fields.map((field) => (
        <FieldRow
          key={field.name}
          field={field}
          label={field.name}
          path={`${prefix}${field.name}`}
          draft={values[field.name]}
          problems={problems}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
    </div>
  )
}

interface RowProps {
  field: Field
  label: string
  path: string
  draft: Draft | undefined
  problems: readonly FieldProblem[]
  onChange: (draft: Draft) => void
}

function FieldRow(props: RowProps) {
  const { field, label, path, draft, problems, onChange } = props
  switch (field.kind) {
    case 'boolean':
      return <CheckRow {...props} />
    case 'enum':
      return (
        <div className="schema-field">
          <Select
            label={labelText(label, field)}
            hint={field.description || undefined}
            error={problemAt(problems, path)}
            value={typeof draft === 'string' ? draft : ''}
            options={[
              {
                value: '',
                label: field.defaultValue === undefined ? '—' : `${defaultText(field.defaultValue)} (default)`,
              },
              ...field.options.map((option) => ({ value: String(option), label: String(option) })),
            ]}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      )
    case 'array':
      return <ArrayRows {...props} item={field.item} />
    case 'object':
      return (
        <fieldset className="schema-group">
          <legend>
            <Label label={label} field={field} />
          </legend>
          {field.description && <p className="ui-field-hint">{field.description}</p>}
          <SchemaForm fields={field.fields} draft={draft} problems={problems} prefix={`${path}.`} onChange={onChange} />
        </fieldset>
      )
    default:
      return <TextRow {...props} />
  }
}

function Label({ label, field }: { label: string; field: Field }) {
  return (
    <>
      <code>{label}</code>
      {field.required && field.name !== '' && (
        <span className="schema-required" title="Required">
          required
        </span>
      )}
    </>
  )
}

function labelText(label: string, field: Field): string {
  return field.required ? `${label} (required)` : label
}

function problemAt(problems: readonly FieldProblem[], path: string): string | undefined {
  return problems.find((problem) => problem.path === path)?.message
}

function TextRow({ field, label, path, draft, problems, onChange }: RowProps) {
  const id = useId()
  const problem = problemAt(problems, path)
  const value = typeof draft === 'string' ? draft : ''
  const isNumber = field.kind === 'number' || field.kind === 'integer'
  const shared = {
    id,
    value,
    className: 'ui-input schema-input',
    spellCheck: false,
    placeholder:
      field.defaultValue === undefined
        ? field.kind === 'json'
          ? 'JSON'
          : ''
        : `${defaultText(field.defaultValue)} (default)`,
    'aria-required': field.required,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-note`,
  }
  return (
    <div className="schema-field ui-field">
      <label htmlFor={id} className="ui-field-label">
        <Label label={label} field={field} />
      </label>
      {isNumber ? (
        <input {...shared} inputMode="decimal" onChange={(event) => onChange(event.target.value)} />
      ) : (
        // CSS field-sizing makes it grow with its text, for short paths as well as file contents.
        <textarea {...shared} rows={1} onChange={(event) => onChange(event.target.value)} />
      )}
      <span
        id={`${id}-note`}
        className={problem ? 'ui-field-error' : 'ui-field-hint'}
        role={problem ? 'alert' : undefined}
      >
        {problem ?? field.description}
      </span>
    </div>
  )
}

function CheckRow({ field, label, draft, onChange }: RowProps) {
  const id = useId()
  const checked = typeof draft === 'boolean' ? draft : field.defaultValue === true
  return (
    <div className="schema-field schema-check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>
        <Label label={label} field={field} />
      </label>
      <span id={`${id}-note`} className="ui-field-hint">
        {field.description}
      </span>
    </div>
  )
}

function defaultText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function emptyDraft(field: Field): Draft {
  if (field.kind === 'object') return {}
  if (field.kind === 'array') return []
  return field.kind === 'boolean' ? false : ''
}

function ArrayRows({ field, item, label, path, draft, problems, onChange }: RowProps & { item: Field }) {
  const rows = isRows(draft) ? draft : []
  return (
    <fieldset className="schema-group">
      <legend>
        <Label label={label} field={field} />
      </legend>
      {field.description && <p className="ui-field-hint">{field.description}</p>}
      {rows.map((row, index) => (
        // Rows have no id, so the index is the key.
        <div key={index} className="schema-row">
          <FieldRow
            field={item}
            label={`${label}[${index}]`}
            path={`${path}.${index}`}
            draft={row}
            problems={problems}
            onChange={(value) => onChange(rows.map((each, at) => (at === index ? value : each)))}
          />
          <IconButton
            icon="trash"
            label={`Remove ${label}[${index}]`}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button size="small" variant="ghost" onClick={() => onChange([...rows, emptyDraft(item)])}>
        <Icon name="add" />
        {`Add item to ${label}`}
      </Button>
    </fieldset>
  )
}
