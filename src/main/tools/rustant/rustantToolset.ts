import { truncateOutput } from '../common/truncateOutput.ts'
import type { Toolset } from '../toolset.ts'
import { calculator } from './calculator.ts'
import { codebaseSearch } from './rustantCodebaseSearch.ts'
import { rustantCore, rustantMedium } from './rustantCoreTools.ts'
import { datetime } from './datetime.ts'
import { documentRead } from './documentRead.ts'
import { echo } from './echo.ts'
import { fileList } from './fileList.ts'
import { filePatch } from './filePatch.ts'
import { fileRead } from './rustantFileRead.ts'
import { fileSearch } from './rustantFileSearch.ts'
import { fileWrite } from './rustantFileWrite.ts'
import { gitCommit } from './rustantGitCommit.ts'
import { gitDiff } from './rustantGitDiff.ts'
import { gitStatus } from './rustantGitStatus.ts'
import { shellExec } from './shellExec.ts'
import { smartEdit } from './smartEdit.ts'
import { webFetch } from './webFetch.ts'
import { webSearch } from './rustantWebSearch.ts'

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
