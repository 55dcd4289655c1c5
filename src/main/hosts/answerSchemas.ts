import { z } from 'zod'
import type { EditorRequestName, EditorRequests } from '../../shared/editor/editorRequests.ts'

const line = z.number().int().positive()
const lineOrNull = line.nullable()

const location = z.object({ path: z.string(), line, column: line })
const range = { path: z.string(), startLine: line, startColumn: line, endLine: line, endColumn: line }
const change = z.object({ ...range, replaced: z.string(), dirty: z.boolean() })

/** Schemas for the window's answers to editor requests. Main validates them because it does not trust the window. */
export const answerSchemas: { [N in EditorRequestName]: z.ZodType<EditorRequests[N]['result']> } = {
  'editor.state': z.object({
    active_file: z.string().nullable(),
    open_files: z.array(z.string()),
    active_tab_index: z.number().int().nonnegative().nullable(),
    cursor_line: lineOrNull,
    cursor_column: lineOrNull,
    selection_start_line: lineOrNull,
    selection_end_line: lineOrNull,
  }),
  'editor.open': location,
  'editor.goto': location,
  'editor.selection': z.object({ ...range, text: z.string() }),
  'editor.replaceSelection': change,
  'editor.insertAtCursor': change,
  'editor.problems': z.object({
    problems: z
      .array(
        z.object({
          path: z.string(),
          line,
          column: line,
          severity: z.enum(['error', 'warning']),
          message: z.string().max(10_000),
        }),
      )
      .max(200),
  }),
  'editor.buffer': z.object({ text: z.string(), dirty: z.boolean() }).nullable(),
  'editor.applyText': z.object({ applied: z.boolean() }),
}
