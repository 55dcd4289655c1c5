import type { CoreTool } from '../toolset.ts'

/** What small windows are offered of Rusty's tools: its patch format takes too many words to explain there. */
export const rustyCore: Readonly<Record<string, CoreTool>> = {
  file_read: { optional: ['offset', 'limit'], minimal: true },
  file_edit: { minimal: true },
  file_write: { minimal: true },
}

/** What windows of about 16k are offered besides: its patch format, whose words fit there. */
export const rustyMedium: Readonly<Record<string, CoreTool>> = { apply_patch: {} }
