import type { CoreTool } from '../toolset.ts'

/**
 * UltraSushiTron's tools for small context windows: Edit instead of Patch, because small models miscount diff lines.
 */
export const ultraSushiTronCore: Readonly<Record<string, CoreTool>> = {
  Read: {
    optional: ['offset', 'limit'],
    brief: 'Reads a text file with numbered lines (number, tab, text).',
    minimal: true,
  },
  Grep: {
    optional: ['path'],
    brief: 'Searches file contents with a regular expression; returns `path:line:text`.',
    minimal: true,
  },
  Find: { optional: ['path'] },
  ListDir: { minimal: true },
  Edit: { optional: ['replace_all'], brief: 'Replaces text that occurs exactly once in a file.', minimal: true },
  Write: { minimal: true },
  Bash: {
    optional: ['timeout'],
    brief: 'Runs a bash command and returns its output and exit code.',
    minimal: true,
  },
}

/** Further tools for context windows of about 16k tokens: patches, comparison and the web. */
export const ultraSushiTronMedium: Readonly<Record<string, CoreTool>> = {
  Grep: { optional: ['path', 'output_mode'] },
  ListDir: { optional: ['depth'] },
  Patch: {},
  Diff: { optional: ['file_a', 'file_b'] },
  HttpFetch: { optional: ['method', 'strip_html'] },
  WebSearch: {},
}
