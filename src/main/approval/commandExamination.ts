import type { ApprovalRule } from '../../shared/tools/approvalRules.ts'
import type { Explanation } from '../../shared/tools/explanation.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { CommandSandbox } from '../../shared/commands/sandbox.ts'
import { findCommandPlaces, type ArgumentLookup, type CommandPlaces } from './commandPlaces.ts'
import { explainCommand } from './explainCommand.ts'
import type { ParseCommand } from './gateCall.ts'
import { findHiddenCommands, type ReadShellLine } from './commandsBehindLaunchers.ts'
import type { PlaceRules } from './placeRules.ts'
import { checkReadOnly, type ProgramLookup, type ReadOnlyMatch } from './readOnly/readOnlyCheck.ts'
import { rulesFor, type RuleFolders } from './userRules.ts'

/** Access to the parser, the workspace and the user's settings. */
export interface ExaminerDeps {
  parse: ParseCommand
  /** Reads the commands of lines that cannot be parsed, for deny and ask rules. */
  read: ReadShellLine
  /** Describes what a line deletes permanently. */
  losses(line: string): Promise<string[]>
  places(): PlaceRules
  /** Looks up paths in arguments. Without it, prefix grants apply by name only. */
  lookup?: ArgumentLookup
  /** Finds programs. Without it, or without `lookup`, no command counts as read-only. */
  programs?: ProgramLookup
  rules(): readonly ApprovalRule[]
  /** Returns why the user's rules are not fully known: a sentence. */
  rulesProblem?(): string | undefined
  /** @param cwd relative to the workspace; undefined if unknown */
  folders(cwd: string | undefined): RuleFolders
  isTrusted(): boolean
}

/** A command line to examine, with the context in which it would run. */
export interface ExaminationRequest {
  line: string
  /** Working folder, relative to the workspace, or absolute if outside; undefined if unknown. */
  cwd: string | undefined
  mode: Mode
  sandbox: CommandSandbox | undefined
  /** Why the line does not show everything that the command does: a sentence. */
  unclear?: string
  /** See `GateCall.isCode`. */
  isCode?: true | undefined
}

/** The decision about a command line and the facts that it is based on. */
export interface Examination {
  explanation: Explanation
  commands: string[][] | undefined
  /** Why the line cannot be parsed. */
  unreadable?: string
  places?: CommandPlaces
  losses: string[]
  /**
   * Whether the line provably changes nothing: every command has a shipped read-only form, and git starts no program
   * that a repository configures. Independent of the mode. A user rule is not a proof.
   */
  onlyReads: boolean
}

/** Collects the facts about a command line and decides whether it may run. */
export type ExamineCommand = (request: ExaminationRequest) => Promise<Examination>

export function createCommandExaminer(deps: ExaminerDeps): ExamineCommand {
  return async ({ line, cwd: folder, mode, sandbox, unclear, isCode }) => {
    const cwd = folder ?? '.'
    const placeRules = deps.places()
    const rules = rulesFor(deps.rules(), deps.folders(folder)).filter(
      ({ decision }) => (unclear === undefined && isCode !== true) || decision !== 'allow',
    )
    const isRestricted = rules.some(({ decision }) => decision !== 'allow')
    const [read, found, losses] = await Promise.all([
      deps.parse(line),
      isRestricted ? findHiddenCommands(line, deps.read) : undefined,
      deps.losses(line),
    ])
    const masked = sandbox?.sandboxed === true
    const { lookup, programs } = deps
    const unknown = unclear ?? (folder === undefined ? 'The folder that it runs in is not known.' : undefined)
    let readOnly: readonly ReadOnlyMatch[] = []
    if (read.plain && unknown !== undefined) readOnly = read.commands.map(() => ({ covered: false, why: unknown }))
    else if (read.plain && lookup && programs)
      readOnly = await checkReadOnly(read.commands, { cwd, rules: placeRules, lookup, programs, masked })
    // A here-document is plain text for a command that only reads files. Other commands may execute it.
    const parsed =
      read.plain && read.documents?.some((index) => readOnly[index]?.covered !== true)
        ? { plain: false as const, reason: 'It contains a here-document.' }
        : read
    const commands = parsed.plain ? parsed.commands : undefined
    if (commands === undefined) readOnly = []
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
      insidePaths:
        commands && lookup && unknown === undefined ? await insidePaths(commands, cwd, rules, placeRules, lookup) : [],
      rules,
      place: places?.reason,
      sandbox,
      trusted: deps.isTrusted(),
      losses,
      unclear,
      rulesProblem: deps.rulesProblem?.(),
    })
    return {
      explanation,
      commands,
      unreadable: parsed.plain ? undefined : parsed.reason,
      places,
      losses,
      onlyReads:
        readOnly.length > 0 &&
        readOnly.every(({ covered }) => covered) &&
        places?.reason === undefined &&
        losses.length === 0,
    }
  }
}

/** Returns the words of each command that the placeholder `<path>` of a rule matches. */
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
