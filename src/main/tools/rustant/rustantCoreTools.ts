import type { CoreTool } from '../toolset.ts'

/**
 * Rustant's tools for small context windows: smart_edit before file_patch, because small models miscount hunk lines.
 */
export const rustantCore: Readonly<Record<string, CoreTool>> = {
  file_read: {
    optional: ['start_line', 'end_line'],
    brief: 'Reads a text file or some of its lines.',
    minimal: true,
  },
  file_search: { optional: ['path'] },
  file_list: { brief: 'Lists a folder.', minimal: true },
  file_patch: {
    brief: 'Changes parts of one file with "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE" blocks, or a unified diff.',
  },
  file_write: { brief: 'Creates a file with its folders, or overwrites it.', minimal: true },
  shell_exec: {
    optional: ['timeout_secs'],
    brief: 'Runs a shell command (bash) and returns its output and exit code.',
    minimal: true,
  },
  smart_edit: {
    optional: ['content'],
    brief: 'Edits one place of a file: location is "line 42", "lines 10-20", a symbol\'s name, or text of the file.',
    minimal: true,
  },
  codebase_search: { brief: 'Finds code and text that best match a question, words or names.', minimal: true },
}

/** Further tools for context windows of about 16k tokens: git, documents and the web. */
export const rustantMedium: Readonly<Record<string, CoreTool>> = {
  git_status: {},
  git_diff: { optional: ['path', 'staged'] },
  git_commit: {},
  web_search: {},
  web_fetch: {},
  document_read: { optional: ['pages'] },
  codebase_search: { optional: ['filter'] },
}
