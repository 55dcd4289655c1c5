import { inlineEditSchema, type InlineEditParams } from '../../../shared/agent/inlineEdit.ts'

/** An inline edit with defaults for what a test does not need. */
export function inlineEdit(change: Partial<InlineEditParams> = {}): InlineEditParams {
  return inlineEditSchema.parse({
    id: 'e1',
    path: 'a.ts',
    language: '',
    selection: ['one'],
    line: 1,
    before: '',
    after: '',
    indentation: { tabs: false, size: 2 },
    instruction: 'Change it',
    earlier: [],
    ...change,
  })
}
