import type { CoreTool } from '../toolset.ts'

/** What small windows are offered of UltraSushiTron's tools: Edit rather than Patch, whose diffs small models miscount. */
export const ultraSushiTronCore: Readonly<Record<string, CoreTool>> = {
  Read: { optional: ['offset', 'limit'], minimal: true },
  Grep: { optional: ['path'], minimal: true },
  Find: { optional: ['path'] },
  ListDir: { minimal: true },
  Edit: { optional: ['replace_all'], brief: 'Replaces text that stands in a file exactly once.', minimal: true },
  Write: { minimal: true },
  Bash: { optional: ['timeout'], minimal: true },
}
