import { truncateOutput } from '../common/truncateOutput.ts'
import type { Toolset, CoreTool, ToolOutput } from '../common/toolDefinition.ts'
import { bash } from './bashTool.ts'
import { diff } from './diffTool.ts'
import { edit } from './editTool.ts'
import { find } from './findTool.ts'
import { grep } from './grepTool.ts'
import { httpFetch } from './httpFetchTool.ts'
import { listDir } from './listDirTool.ts'
import { patch } from './patchTool.ts'
import { read } from './readTool.ts'
import { webSearch } from './webSearchTool.ts'
import { write } from './writeTool.ts'

/**
 * UltraSushiTron's tools for small context windows: Edit instead of Patch, because small models miscount diff lines.
 */
const ultraSushiTronCore: Readonly<Record<string, CoreTool>> = {
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
const ultraSushiTronMedium: Readonly<Record<string, CoreTool>> = {
  Grep: { optional: ['path', 'output_mode'] },
  ListDir: { optional: ['depth'] },
  Patch: {},
  Diff: { optional: ['file_a', 'file_b'] },
  HttpFetch: { optional: ['method', 'strip_html'] },
  WebSearch: {},
}

/** Maximum command output in bytes, as documented for the Bash tool. */
const commandBytes = 30_000
/** Maximum size in bytes of other results: the 100 KB of HttpFetch, the largest limit in the documents. */
const resultBytes = 102_400

/** Truncates by UltraSushiTron's limits. */
export function truncateUltraSushiTron(output: ToolOutput): { text: string; truncated: boolean } {
  const maxBytes = output.view?.kind === 'command' ? commandBytes : resultBytes
  return truncateOutput(output, { maxBytes, readMoreHint: 'To read what is missing, read a smaller part' })
}

/** UltraSushiTron's tools, in the order that models see. */
export const ultraSushiTronToolset: Toolset = {
  name: 'ultrasushitron',
  title: 'UltraSushiTron',
  core: ultraSushiTronCore,
  medium: ultraSushiTronMedium,
  tools: [read, grep, find, listDir, edit, patch, write, diff, bash, httpFetch, webSearch],
  truncate: truncateUltraSushiTron,
}
