import { truncateOutput } from '../common/truncateOutput.ts'
import type { Toolset } from '../toolset.ts'
import { applyPatch } from './rustyApplyPatch.ts'
import { rustyCore, rustyMedium } from './rustyCoreTools.ts'
import { fileEdit } from './fileEdit.ts'
import { fileRead } from './rustyFileRead.ts'
import { fileWrite } from './rustyFileWrite.ts'

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
