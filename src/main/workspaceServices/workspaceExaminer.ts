import type { RuleFolders } from '../approval/userRules.ts'
import { absoluteIn, folderOf, folderPaths, topFolders, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { createCommandExaminer, type ExamineCommand } from '../approval/commandExamination.ts'
import type { ArgumentLookup } from '../approval/commandPlaces.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { destructiveReasons } from '../command/destructive.ts'
import { parseShellLine } from '../command/shellParse.ts'
import { readShellLine } from '../command/shellReading.ts'
import { type Workspace, isOwnDataRefusal } from '../workspace/containment.ts'
import { findBelow } from '../workspace/findBelow.ts'
import { variableNames } from './commandServices.ts'
import { createProgramLookup } from './programLookup.ts'

interface WorkspaceExaminerDeps {
  settings(): Settings
  /** Returns why the user's rules are not fully known: a sentence. */
  rulesProblem(): string | undefined
  places(): PlaceRules
  /** Returns the open folder. @throws ToolError no_workspace */
  workspace(): Workspace
  /** Whether commands may run in the folder without approval. */
  isTrusted(): boolean
}

/** Examines command lines in the open folder. */
export function createWorkspaceExaminer({
  settings,
  rulesProblem,
  places,
  workspace,
  isTrusted,
}: WorkspaceExaminerDeps): ExamineCommand {
  return createCommandExaminer({
    parse: parseShellLine,
    read: readShellLine,
    losses: destructiveReasons,
    places,
    lookup: createArgumentLookup(workspace),
    programs: createProgramLookup(workspace, process.env, () => variableNames(settings().commands.environment)),
    rules: () => settings().approval.rules,
    rulesProblem,
    folders: (cwd) => ruleFolders(workspace(), cwd),
    isTrusted,
  })
}

function ruleFolders(workspace: WorkspaceRoots, cwd: string | undefined): RuleFolders {
  const { root, folders } = workspace
  const own = cwd === undefined ? undefined : folderOf(workspace, cwd)?.absolute
  if (folders === undefined) return { all: [root], own: [root] }
  return { all: [root, ...folderPaths(workspace)], own: own === undefined ? [root] : [root, own] }
}

/** Maximum number of entries checked in a folder that a command reads completely. */
const maxEntries = 20_000

/** Looks up command arguments in the open folder, through links. */
export function createArgumentLookup(workspace: () => Workspace): ArgumentLookup {
  return {
    async resolve(cwd, argument) {
      const { root, resolve } = workspace()
      const absolute = await absolutePath(path.resolve(root, cwd), argument)
      try {
        const { relative, exists, type } = await resolve(absolute, { missing: 'allow' })
        return { relative, exists, directory: type === 'directory' }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        const outside = { exists: await lstat(absolute).then(Boolean, () => false), directory: false }
        return isOwnDataRefusal(error) ? { ...outside, ownData: true } : outside
      }
    },
    async findBelow(folder, test) {
      const roots = workspace()
      try {
        const signal = AbortSignal.timeout(10_000)
        const remaining = { entries: maxEntries }
        for (const top of folder === '.' ? topFolders(roots) : [folder]) {
          const found = await findBelow(absoluteIn(roots, top), top, test, signal, remaining)
          if (found !== undefined) return found
        }
        return undefined
      } catch (error) {
        if (error instanceof ToolError && error.code === 'too_large') return folder
        throw error
      }
    },
  }
}

/** Resolves a path like the operating system: `..` after a link is the parent of the link's target. */
async function absolutePath(folder: string, argument: string): Promise<string> {
  let at = path.isAbsolute(argument) ? path.parse(argument).root : folder
  for (const name of argument.split('/')) {
    if (name !== '..') at = path.join(at, name)
    else at = path.dirname(await realpath(at).catch(() => at))
  }
  return at
}
