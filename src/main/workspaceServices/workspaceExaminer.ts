import type { Settings } from '../../shared/settings/settings.ts'
import { createCommandExaminer, type ExamineCommand } from '../approval/commandExamination.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { destructiveReasons } from '../command/destructive.ts'
import { parseShellLine } from '../command/shellParse.ts'
import { readShellLine } from '../command/shellReading.ts'
import type { Workspace } from '../workspace/containment.ts'
import { createArgumentLookup } from './argumentLookup.ts'
import { variableNames } from './commandServices.ts'
import { createProgramLookup } from './programLookup.ts'

interface WorkspaceExaminerDeps {
  settings(): Settings
  /** Returns why the rules of the user are not known completely, as a clause. */
  rulesProblem(): string | undefined
  places(): PlaceRules
  /** Returns the open folder. @throws ToolError no_workspace */
  workspace(): Workspace
  /** Whether commands may run in the folder without approval. */
  isTrusted(): boolean
}

/** Examines the command lines of the open folder. */
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
    programs: createProgramLookup(
      () => workspace().root,
      process.env,
      () => variableNames(settings().commands.environment),
    ),
    rules: () => settings().approval.rules,
    rulesProblem,
    folder: () => workspace().root,
    isTrusted,
  })
}
