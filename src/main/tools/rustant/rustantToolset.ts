import { truncateOutput } from '../common/truncateOutput.ts'
import type { Toolset, CoreTool } from '../common/toolDefinition.ts'
import { calculator } from './calculator.ts'
import { datetime } from './datetime.ts'
import { documentRead } from './documentRead.ts'
import { echo } from './echo.ts'
import { fileList } from './fileList.ts'
import { filePatch } from './filePatch.ts'
import { codebaseSearch } from './rustantCodebaseSearch.ts'
import { fileRead } from './rustantFileRead.ts'
import { fileSearch } from './rustantFileSearch.ts'
import { fileWrite } from './rustantFileWrite.ts'
import { gitCommit } from './rustantGitCommit.ts'
import { gitDiff } from './rustantGitDiff.ts'
import { gitStatus } from './rustantGitStatus.ts'
import { webSearch } from './rustantWebSearch.ts'
import { shellExec } from './shellExec.ts'
import { smartEdit } from './smartEdit.ts'
import { webFetch } from './webFetch.ts'

/**
 * Rustant's tools for small context windows: smart_edit before file_patch, because small models miscount hunk lines.
 */
const rustantCore: Readonly<Record<string, CoreTool>> = {
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
const rustantMedium: Readonly<Record<string, CoreTool>> = {
  git_status: {},
  git_diff: { optional: ['path', 'staged'] },
  git_commit: {},
  web_search: {},
  web_fetch: {},
  document_read: { optional: ['pages'] },
  codebase_search: { optional: ['filter'] },
}

// Rustant's document has no rule for long results, so Blade's limit is used.
const rule = {
  maxBytes: 51_200,
  readMoreHint: 'To read what is missing, read a smaller part (file_read with start_line and end_line)',
}

/** Rustant's tools, in the order that models see. */
export const rustantToolset: Toolset = {
  name: 'rustant',
  title: 'Rustant',
  core: rustantCore,
  medium: rustantMedium,
  tools: [
    fileRead,
    fileSearch,
    fileList,
    filePatch,
    fileWrite,
    gitStatus,
    gitDiff,
    gitCommit,
    shellExec,
    webSearch,
    webFetch,
    documentRead,
    smartEdit,
    codebaseSearch,
    calculator,
    datetime,
    echo,
  ],
  truncate: (output) => truncateOutput(output, rule),
}
