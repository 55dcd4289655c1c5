import { truncateBlade } from './bladeTruncation.ts'
import type { Toolset } from '../toolset.ts'
import { applyPatch } from './bladeApplyPatch.ts'
import { batch } from './batch.ts'
import { codebaseInvestigator } from './codebaseInvestigator.ts'
import { codebaseSearch } from './bladeCodebaseSearch.ts'
import { bladeCore, bladeMedium } from './bladeCoreTools.ts'
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
import { listDir } from './bladeListDir.ts'
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
import { symbolSearch } from './bladeSymbolSearch.ts'
import { getWorkspaceStructure } from './workspaceStructure.ts'
import { writeFile } from './writeFile.ts'

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
