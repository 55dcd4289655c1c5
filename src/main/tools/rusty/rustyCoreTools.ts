import type { CoreTool } from '../toolset.ts'

/** Rusty's tools for small context windows, without apply_patch, whose format needs a long description. */
export const rustyCore: Readonly<Record<string, CoreTool>> = {
  file_read: { optional: ['offset', 'limit'], minimal: true },
  file_edit: { minimal: true },
  file_write: { minimal: true },
}

/** Further tools for context windows of about 16k tokens: apply_patch. */
export const rustyMedium: Readonly<Record<string, CoreTool>> = { apply_patch: {} }
