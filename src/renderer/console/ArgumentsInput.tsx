import { useMemo, useState } from 'react'
import type { ToolInfo } from '../../shared/tools/tool.ts'
import { SchemaForm } from './SchemaForm.tsx'
import { draftOf, fieldsOf, readFields, type Draft, type Field, type FieldProblem } from './schemaFields.ts'

/** The arguments of a tool as the user enters them, in a form or as JSON. */
interface ArgumentsInputState {
  fields: readonly Field[]
  draft: Draft
  setDraft: (draft: Draft) => void
  /** JSON text; null while the form is shown. */
  json: string | null
  setJson: (json: string) => void
  problems: readonly FieldProblem[]
  /** Returns the arguments, or undefined if they are invalid. Shows the problems then. */
  readArguments: () => Record<string, unknown> | undefined
  /** Switches between form and JSON, if the arguments are valid. */
  toggleJson: () => void
}

export function useArgumentsInput(tool: ToolInfo): ArgumentsInputState {
  const fields = useMemo(() => fieldsOf(tool.schema), [tool.schema])
  const [draft, setDraft] = useState<Draft>({})
  const [json, setJson] = useState<string | null>(null)
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])

  function readArguments(): Record<string, unknown> | undefined {
    if (json === null) {
      const { value, problems: found } = readFields(fields, draft)
      setProblems(found)
      return found.length === 0 ? value : undefined
    }
    try {
      const value: unknown = JSON.parse(json)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('expected a JSON object')
      setProblems([])
      // JSON objects have string keys.
      return value as Record<string, unknown>
    } catch (error) {
      setProblems([{ path: '', message: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` }])
      return undefined
    }
  }

  function toggleJson(): void {
    const values = readArguments()
    if (!values) return
    if (json === null) setJson(JSON.stringify(values, null, 2))
    else {
      setDraft(draftOf(fields, values))
      setJson(null)
    }
  }

  return { fields, draft, setDraft, json, setJson, problems, readArguments, toggleJson }
}

/** The form for the arguments, or the JSON editor. */
export function ArgumentsInput({ input }: { input: ArgumentsInputState }) {
  const { fields, draft, setDraft, json, setJson, problems } = input
  if (json === null)
    return fields.length === 0 ? (
      <p className="tool-note">This tool takes no arguments.</p>
    ) : (
      <SchemaForm fields={fields} draft={draft} problems={problems} onChange={setDraft} />
    )
  const jsonProblem = problems.find(({ path }) => path === '')?.message
  return (
    <div className="ui-field">
      <textarea
        className="ui-input schema-input console-json"
        aria-label="Arguments as JSON"
        aria-invalid={jsonProblem !== undefined}
        spellCheck={false}
        value={json}
        onChange={(event) => setJson(event.target.value)}
      />
      {jsonProblem && (
        <span className="ui-field-error" role="alert">
          {jsonProblem}
        </span>
      )}
    </div>
  )
}
