import { homedir } from 'node:os'
import { ToolError } from '../../shared/errors.ts'
import type { ActiveFile, FolderVariables } from '../base/configurationVariables.ts'
import { commandEnvironment } from '../command/commandEnvironment.ts'
import type { EditorPort } from '../workspace/editorPort.ts'
import { absoluteIn, topFolders, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { variableNames } from './commandServices.ts'
import type { SessionDeps } from './workspaceSession.ts'

/** Creates the values of the variables in launch.json and tasks.json, with the active file of the window. */
export function createVariableValues(
  workspace: WorkspaceRoots,
  { editor, commands }: Pick<SessionDeps, 'editor' | 'commands'>,
): FolderVariables {
  return async (inputs, folder = topFolders(workspace)[0] ?? '.') => ({
    root: absoluteIn(workspace, folder),
    folders: workspace.folders,
    home: homedir(),
    environment: commandEnvironment(process.env, variableNames(commands.settings().environment)),
    active: inFolder(await activeFile(editor), folder),
    inputs,
  })
}

/** Returns the active file with its path in the folder; null if it is in another one. */
function inFolder(active: ActiveFile | null, folder: string): ActiveFile | null {
  if (active === null || folder === '.') return active
  return active.path.startsWith(`${folder}/`) ? { ...active, path: active.path.slice(folder.length + 1) } : null
}

async function activeFile(editor: EditorPort): Promise<ActiveFile | null> {
  if (!editor.attached) return null
  const state = await orNull(editor.ask('editor.state', {}))
  if (state === null || state.active_file === null) return null
  const selection = await orNull(editor.ask('editor.selection', {}))
  return {
    path: state.active_file,
    line: state.cursor_line,
    selection: selection?.path === state.active_file ? selection.text : '',
  }
}

/** The window fails requests about an editor if there is none, e.g. because a settings page is active. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}
