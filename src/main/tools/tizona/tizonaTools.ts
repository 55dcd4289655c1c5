import type { Tool } from '../common/toolDefinition.ts'
import { browserTools } from './browser/browserTools.ts'
import { callTool } from './callTool.ts'
import { codeActions } from './codeActionTools.ts'
import { debugRun } from './debug/debugRun.ts'
import { debugSessionTools } from './debug/debugSessionTools.ts'
import { findTools } from './findTools.ts'
import { getDiagnostics } from './getDiagnostics.ts'
import { loadSkill } from './loadSkill.ts'
import { notebookTools } from './notebook/notebookTools.ts'
import { renameSymbol } from './renameSymbol.ts'
import { task } from './taskTool.ts'
import { todoWrite } from './todoWrite.ts'

/** Tools that use language servers. Offered only where these may run (appToolRegistry.ts). */
export const languageTools: readonly Tool[] = [getDiagnostics, codeActions, renameSymbol]

/** Tools that debug programs. Turned off in folders that are not trusted (appToolRegistry.ts). */
export const debugTools: readonly Tool[] = [debugRun, ...debugSessionTools]

/** Tools that find and call unlisted tools. Offered if a profile leaves out tools (promptTools.ts). */
export const finderTools: readonly Tool[] = [findTools, callTool]

/**
 * Tizona's own tools, offered with each toolset. `load_skill` is offered only if there are skills (appToolRegistry.ts).
 */
export const tizonaTools: readonly Tool[] = [
  todoWrite,
  loadSkill,
  task,
  ...debugTools,
  ...browserTools,
  ...notebookTools,
  ...languageTools,
  ...finderTools,
]
