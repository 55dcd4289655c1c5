import type { ApprovalRule } from '../../shared/approvalRules.ts'
import type { Explanation } from '../../shared/explanation.ts'
import type { Mode } from '../../shared/risk.ts'
import type { CommandSandbox } from '../../shared/sandbox.ts'
import { findCommandPlaces, type ArgumentLookup, type CommandPlaces } from './commandPlaces.ts'
import { explainCommand } from './explainCommand.ts'
import type { ParseCommand } from './gate.ts'
import type { PlaceRules } from './placeRules.ts'
import { checkReadOnly, type ProgramLookup } from './readOnly/readOnlyCheck.ts'
import { rulesFor } from './userRules.ts'

/** Dependencies of the examination: the machine, the folder and the settings. */
export interface ExaminerDeps {
  parse: ParseCommand
  /** Finds commands also in lines that cannot be parsed; undefined for lines that are too long. */
  findCommands(line: string): Promise<readonly string[][] | undefined>
  /** Returns what a line deletes permanently. */
  losses(line: string): Promise<string[]>
  places(): PlaceRules
  /** Looks up arguments. Without it prefix grants apply by name only. */
  lookup?: ArgumentLookup
  /** Without it, or without `lookup`, no command is read-only. */
  programs?: ProgramLookup
  rules(): readonly ApprovalRule[]
  /** Real path of the open folder. */
  folder(): string | undefined
  isTrusted(): boolean
}

export interface ExaminationRequest {
  line: string
  /** Relative to the workspace. */
  cwd: string
  mode: Mode
  sandbox: CommandSandbox | undefined
}

/** The facts about a line, with the decision. */
export interface Examination {
  explanation: Explanation
  commands: string[][] | undefined
  /** Why the line cannot be parsed. */
  unreadable?: string
  places?: CommandPlaces
  losses: string[]
}

/** Collects everything that the decision about a command line depends on, and decides. */
export type ExamineCommand = (request: ExaminationRequest) => Promise<Examination>

export function createCommandExaminer(deps: ExaminerDeps): ExamineCommand {
  return async ({ line, cwd, mode, sandbox }) => {
    const placeRules = deps.places()
    const rules = rulesFor(deps.rules(), deps.folder())
    const [parsed, found, losses] = await Promise.all([deps.parse(line), deps.findCommands(line), deps.losses(line)])
    const commands = parsed.plain ? parsed.commands : undefined
    const masked = sandbox?.sandboxed === true
    const { lookup, programs } = deps
    const readOnly =
      commands && lookup && programs
        ? await checkReadOnly(commands, { cwd, rules: placeRules, lookup, programs, masked })
        : []
    const places =
      commands &&
      lookup &&
      (await findCommandPlaces(commands, cwd, placeRules, lookup, {
        readOnly: readOnly.map(({ covered }) => covered),
        masked,
      }))
    const explanation = explainCommand({
      line,
      mode,
      parsed,
      found,
      readOnly,
      insidePaths: commands && lookup ? await insidePaths(commands, cwd, rules, placeRules, lookup) : [],
      rules,
      place: places?.reason,
      sandbox,
      trusted: deps.isTrusted(),
      losses,
    })
    return { explanation, commands, unreadable: parsed.plain ? undefined : parsed.reason, places, losses }
  }
}

/** Looks up the words that a `<path>` of a rule can stand for. */
async function insidePaths(
  commands: readonly string[][],
  cwd: string,
  rules: readonly ApprovalRule[],
  { secret }: PlaceRules,
  lookup: ArgumentLookup,
): Promise<ReadonlySet<string>[]> {
  if (!rules.some(({ match, pattern }) => match === 'form' && pattern.includes('<path>')))
    return commands.map(() => new Set())
  return Promise.all(
    commands.map(async (words) => {
      const inside = new Set<string>()
      for (const word of words.slice(1)) {
        const place = await lookup.resolve(cwd, word)
        if (place.relative !== undefined && !place.ownData && !secret(word) && !secret(place.relative)) inside.add(word)
      }
      return inside
    }),
  )
}
