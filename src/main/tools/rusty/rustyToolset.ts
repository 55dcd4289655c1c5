import { truncateOutput } from '../common/truncateOutput.ts'
import type { Toolset, CoreTool } from '../common/toolDefinition.ts'
import { fileEdit } from './fileEdit.ts'
import { applyPatch } from './rustyApplyPatch.ts'
import { fileRead } from './rustyFileRead.ts'
import { fileWrite } from './rustyFileWrite.ts'

/** Rusty's tools for small context windows, without apply_patch, whose format needs a long description. */
const rustyCore: Readonly<Record<string, CoreTool>> = {
  file_read: { optional: ['offset', 'limit'], minimal: true },
  file_edit: { minimal: true },
  file_write: { minimal: true },
}

/** Further tools for context windows of about 16k tokens: apply_patch. */
const rustyMedium: Readonly<Record<string, CoreTool>> = { apply_patch: {} }

// Rusty's document has no rule for long results, so Blade's limit is used.
const rule = { maxBytes: 51_200, readMoreHint: 'To read what is missing, use file_read with offset and limit' }

/** Rusty's tools, in the order that models see. */
export const rustyToolset: Toolset = {
  name: 'rusty',
  title: 'Rusty',
  core: rustyCore,
  medium: rustyMedium,
  tools: [fileRead, applyPatch, fileEdit, fileWrite],
  truncate: (output) => truncateOutput(output, rule),
}
