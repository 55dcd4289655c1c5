import { shorten } from '../common/truncateResult.ts'
import type { Toolset } from '../toolset.ts'
import { applyPatch } from './applyPatch.ts'
import { rustyCore, rustyMedium } from './rustyCoreTools.ts'
import { fileEdit } from './fileEdit.ts'
import { fileRead } from './fileRead.ts'
import { fileWrite } from './fileWrite.ts'

// Its document names no rule for long results; the size is that of Blade.
const rule = { maxBytes: 51_200, next: 'To read what is missing, use file_read with offset and limit' }

/** Rusty's tools. */
export const rustyToolset: Toolset = {
  name: 'rusty',
  title: 'Rusty',
  core: rustyCore,
  medium: rustyMedium,
  tools: [fileRead, applyPatch, fileEdit, fileWrite],
  truncate: (output) => shorten(output, rule),
}
