import { useEffect, useState } from 'react'
import { TextField } from '../ui/index.ts'
import type { SettingEditorProps } from './settingValues.ts'

const maxRulers = 20
const maxColumn = 10_000

/** Pure: parses columns such as `80, 120`. @returns null if the text is not a list of columns */
export function parseRulers(text: string): number[] | null {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length === 1 && parts[0] === '') return []
  const columns = parts.map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : 0))
  const valid = columns.length <= maxRulers && columns.every((column) => column >= 1 && column <= maxColumn)
  return valid ? columns : null
}

export function RulersField({ settings, row: { declaration }, save }: SettingEditorProps) {
  const { editor } = settings
  const value = editor.rulers.join(', ')
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const rulers = parseRulers(text)
  return (
    <TextField
      label={declaration.title}
      hint={declaration.description}
      error={rulers ? undefined : `Enter at most ${maxRulers} columns from 1 to ${maxColumn}, separated by commas.`}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (rulers && rulers.join() !== editor.rulers.join()) save(rulers)
      }}
    />
  )
}
