import type { Toolset, CoreTool } from '../common/toolDefinition.ts'
import { batch } from './batch.ts'
import { applyPatch } from './bladeApplyPatch.ts'
import { codebaseSearch } from './bladeCodebaseSearch.ts'
import { listDir } from './bladeListDir.ts'
import { symbolSearch } from './bladeSymbolSearch.ts'
import { truncateBlade } from './bladeTruncation.ts'
import { codebaseInvestigator } from './codebaseInvestigator.ts'
import { copyFile } from './copyFile.ts'
import { createDirectory } from './createDirectory.ts'
import { deleteFile } from './deleteFile.ts'
import { editFile } from './editFile.ts'
import { findFiles } from './findFiles.ts'
import { findFilesGlob } from './findFilesGlob.ts'
import { getEditorState } from './getEditorState.ts'
import { getFileInfo } from './getFileInfo.ts'
import { getProjectIndexChunk } from './getProjectIndexChunk.ts'
import { getProjectIndexOverview } from './getProjectIndexOverview.ts'
import { getSelection } from './getSelection.ts'
import { gotoLine } from './gotoLine.ts'
import { grepSearch } from './grepSearch.ts'
import { insertAtCursor } from './insertAtCursor.ts'
import { moveFile } from './moveFile.ts'
import { openFile } from './openFile.ts'
import { readCommandOutput } from './readCommandOutput.ts'
import { readFile } from './readFile.ts'
import { readFileRange } from './readFileRange.ts'
import { readManyFiles } from './readManyFiles.ts'
import { replaceSelection } from './replaceSelection.ts'
import { runCommand } from './runCommand.ts'
import { stopCommand } from './stopCommand.ts'
import { symbolGraph } from './symbolGraph.ts'
import { symbolOutline } from './symbolOutline.ts'
import { symbolResolve } from './symbolResolve.ts'
import { getWorkspaceStructure } from './workspaceStructure.ts'
import { writeFile } from './writeFile.ts'

/**
 * Blade's tools for small context windows: edit_file instead of apply_patch, whose list of patches costs twice as many
 * tokens.
 */
const bladeCore: Readonly<Record<string, CoreTool>> = {
  read_file: { brief: 'Reads a whole text file.', minimal: true },
  read_file_range: {
    brief: 'Reads some lines of a text file, with their numbers.',
    optional: ['start_line', 'end_line'],
    minimal: true,
  },
  grep_search: { brief: 'Searches file contents; returns `path:line:text`.', optional: ['path'], minimal: true },
  list_dir: { brief: 'Lists a folder.', optional: ['path'], minimal: true },
  symbol_search: { brief: 'Finds definitions by name.' },
  edit_file: { brief: 'Replaces one piece of text in a file; it must occur once.', minimal: true },
  write_file: { brief: 'Writes a whole text file.', minimal: true },
  run_command: { brief: 'Runs a command.', required: ['command'], optional: ['cwd'], minimal: true },
}

/**
 * Further tools for context windows of about 16k tokens: several files at once, symbols, `batch` and background
 * commands.
 */
const bladeMedium: Readonly<Record<string, CoreTool>> = {
  read_many_files: { optional: ['exclude'] },
  find_files: { optional: ['path'] },
  list_dir: { optional: ['path', 'max_depth'] },
  symbol_search: { optional: ['path', 'kind'] },
  symbol_resolve: { optional: ['symbol_id', 'name', 'path'] },
  symbol_outline: {},
  batch: {},
  delete_file: { optional: ['recursive'] },
  run_command: { required: ['command'], optional: ['cwd', 'blocking', 'timeout_ms'] },
  read_command_output: { optional: ['wait_ms'] },
  stop_command: {},
}

/** Zaguán Blade's tools, in the order that models see, most important first. */
export const bladeToolset: Toolset = {
  name: 'blade',
  title: 'Zaguán Blade',
  core: bladeCore,
  medium: bladeMedium,
  truncate: truncateBlade,
  tools: [
    readFile,
    readFileRange,
    readManyFiles,
    grepSearch,
    codebaseSearch,
    findFiles,
    findFilesGlob,
    listDir,
    getWorkspaceStructure,
    getFileInfo,
    symbolSearch,
    symbolResolve,
    symbolOutline,
    symbolGraph,
    getProjectIndexOverview,
    getProjectIndexChunk,
    batch,
    codebaseInvestigator,
    applyPatch,
    editFile,
    writeFile,
    createDirectory,
    moveFile,
    copyFile,
    deleteFile,
    runCommand,
    readCommandOutput,
    stopCommand,
    getEditorState,
    openFile,
    gotoLine,
    getSelection,
    replaceSelection,
    insertAtCursor,
  ],
}
