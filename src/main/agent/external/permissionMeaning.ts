import { createHash } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { risks as riskOrder, type Risk } from '../../../shared/tools/risk.ts'
import type { ToolKind } from '../../acp/agentTypes.ts'
import { fieldsBesideCommand, hasCommand, inputFields, readInput, type ReportedInput } from './reportedInput.ts'
import { truncate } from '../../../shared/text/truncate.ts'

const risks: Readonly<Record<ToolKind, Risk>> = {
  read: 'read',
  search: 'read',
  edit: 'write',
  move: 'write',
  delete: 'destructive',
  fetch: 'network',
  execute: 'execute',
  // These kinds do not say what the agent does.
  think: 'execute',
  switch_mode: 'execute',
  other: 'execute',
}

/** Maximum number of unknown fields named in a reason, and maximum characters of a name or path. */
const maxNamed = 3
const maxNamedLength = 60

/**
 * Maximum number of folders against which an input's paths are resolved. Beyond it, there are too many paths anyway.
 */
const maxFolders = 200

/** What an agent reports about a call for which it requests permission. */
export interface PermissionReport {
  /** Name of the agent. */
  agent: string
  kind: ToolKind
  /** The whole title. */
  title: string
  rawInput: unknown
  /** Paths of its locations and diffs. */
  paths: readonly string[]
  diffs: readonly { path: string; newText: string }[]
}

/** The effects of a call according to its report. Anything left open makes it unclear. */
export interface PermissionMeaning {
  risk: Risk
  command?: {
    line: string
    /** As reported; undefined if it is not known. */
    folder?: string
  }
  /** Other fields of the input, for the card. */
  fields: Record<string, unknown>
  /** Paths, absolute or relative to the workspace. */
  reads: readonly string[]
  writes: readonly string[]
  /** Paths that the call names without saying what it does with them. */
  mentions: readonly string[]
  /** Why the report does not show everything that the call does: a sentence. */
  unclear?: string
  /** Hash of the report, for grants. A command whose report is clear is identified by its line and folder. */
  details?: string
}

/**
 * Determines what an agent will do. A command in the input takes precedence over the reported kind, because some agents
 * report commands as reads or searches. A read or change without a path is unclear. So is a command of which only the
 * title is known, because titles are shortened and rephrased.
 */
export function permissionMeaning(report: PermissionReport): PermissionMeaning {
  const fields = inputFields(report.rawInput)
  if (hasCommand(fields)) return commandMeaning(report, fields, readInput(fields, 'command'))
  if (report.kind === 'execute' && report.title.trim() !== '') return titleMeaning(report, fields)
  return callMeaning(report, fields)
}

function commandMeaning(
  report: PermissionReport,
  fields: Record<string, unknown>,
  input: ReportedInput,
): PermissionMeaning {
  const { agent, kind } = report
  const { commands, unknown } = input
  const folders = reportedPaths(input.folders)
  const { problem, ...paths } = pathsOf(report, reportedPaths(report.paths))
  const unclear =
    unknownFields(report, unknown) ??
    (commands.length > 1 ? `${agent} sent several commands.` : undefined) ??
    (folders.paths.length > 1 ? `${agent} sent several folders for the command.` : undefined) ??
    (folders.foreign && `${agent} sent the folder "${folders.foreign}", which is not a path on this computer.`) ??
    problem
  return {
    ...paths,
    risk: higher('execute', risks[kind]),
    command: { line: commands.join('\n'), folder: folders.paths[0] },
    fields: fieldsBesideCommand(fields, input),
    ...(unclear !== undefined && { unclear, details: detailsOf(report, fields) }),
  }
}

/** A command known only by its title. Gemini CLI sends no more. */
function titleMeaning(report: PermissionReport, fields: Record<string, unknown>): PermissionMeaning {
  const input = readInput(fields, 'command')
  return {
    risk: 'execute',
    command: { line: report.title, folder: reportedPaths(input.folders).paths[0] },
    fields: fieldsBesideCommand(fields, input),
    reads: [],
    writes: [],
    mentions: [],
    unclear: `${report.agent} sent only a title for the command.`,
    details: detailsOf(report, fields),
  }
}

function callMeaning(report: PermissionReport, fields: Record<string, unknown>): PermissionMeaning {
  const { kind, agent, diffs } = report
  const risk = risks[kind]
  const { folders, paths, unknown } = readInput(fields, risk === 'read' ? 'read' : 'write', diffs.length > 0)
  // A path can be relative to a folder that the input names.
  const below = folders
    .slice(0, maxFolders)
    .flatMap((folder) => paths.flatMap((path) => (isAbsolute(path) ? [] : [join(folder, path)])))
  const named = reportedPaths([...report.paths, ...folders, ...paths, ...below])
  const { problem, ...sorted } = pathsOf(report, named)
  const call = { ...sorted, risk, fields, details: detailsOf(report, fields) }
  if (risk === 'execute') return { ...call, unclear: `${agent} reported only the kind "${kind}".` }
  // They need approval in any case, and the card shows their input.
  if (risk === 'network' || risk === 'destructive') return call
  const unclear =
    unknownFields(report, unknown) ??
    problem ??
    (named.paths.length === 0
      ? risk === 'read'
        ? `${agent} did not send the path that it reads.`
        : `${agent} did not send the path that it changes.`
      : undefined) ??
    (risk === 'read' && diffs.length > 0 ? `${agent} sent changes for a read.` : undefined)
  return { ...call, unclear }
}

/** Sorts the paths of a call by what its kind does with them. */
function pathsOf(
  { kind, agent }: PermissionReport,
  { paths, foreign }: ReportedPaths,
): Pick<PermissionMeaning, 'reads' | 'writes' | 'mentions'> & { problem?: string } {
  const reason = foreign && `${agent} sent the path "${foreign}", which is not a path on this computer.`
  const none = { reads: [], writes: [], mentions: [], ...(reason !== undefined && { problem: reason }) }
  switch (kind) {
    case 'read':
    case 'search':
      return { ...none, reads: paths }
    case 'edit':
    case 'move':
    case 'delete':
      return { ...none, writes: paths }
    case 'execute':
      // The command line is examined itself.
      return none
    default:
      return { ...none, mentions: paths }
  }
}

interface ReportedPaths {
  paths: string[]
  /** The first value that is not a local path, truncated. */
  foreign?: string
}

/** Decodes `file:` URIs. Other URIs are not paths. */
function reportedPaths(reported: readonly string[]): ReportedPaths {
  const paths = new Set<string>()
  let foreign: string | undefined
  for (const text of reported) {
    // A scheme has at least two letters, unlike a drive.
    if (!/^[a-z][\w+.-]+:/i.test(text)) paths.add(text)
    else
      try {
        paths.add(fileURLToPath(text))
      } catch {
        foreign ??= truncate(text, maxNamedLength)
      }
  }
  return { paths: [...paths], foreign }
}

function unknownFields({ agent }: PermissionReport, unknown: ReadonlyMap<string, unknown>): string | undefined {
  if (unknown.size === 0) return undefined
  const names = [...unknown.keys()].slice(0, maxNamed).map((name) => `"${truncate(name, maxNamedLength)}"`)
  const more = unknown.size > maxNamed ? ` and ${unknown.size - maxNamed} more` : ''
  return unknown.size === 1
    ? `${agent} sent the field ${names.join('')}, whose meaning is unknown.`
    : `${agent} sent the fields ${names.join(', ')}${more}, whose meaning is unknown.`
}

function higher(one: Risk, other: Risk): Risk {
  return riskOrder.indexOf(one) < riskOrder.indexOf(other) ? other : one
}

function detailsOf({ title, paths, diffs }: PermissionReport, fields: Record<string, unknown>): string {
  const edits = diffs.map(({ path, newText }) => [path, newText])
  return createHash('sha256')
    .update(JSON.stringify([title, fields, paths, edits]))
    .digest('hex')
}
