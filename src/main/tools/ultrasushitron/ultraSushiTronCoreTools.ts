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

/** What windows of about 16k are offered besides: patches, comparing, and the web. */
export const ultraSushiTronMedium: Readonly<Record<string, CoreTool>> = {
  Grep: { optional: ['path', 'output_mode'] },
  ListDir: { optional: ['depth'] },
  Patch: {},
  Diff: { optional: ['file_a', 'file_b'] },
  HttpFetch: { optional: ['method', 'strip_html'] },
  WebSearch: {},
}
