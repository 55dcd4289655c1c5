import type { Mode, Risk } from '../../shared/risk.ts'
import { covers } from './modePolicy.ts'
import { proposePrefix, startsWith } from './commandPrefix.ts'

/** What of a call grants are matched against. */
export interface GrantedCall {
  tool: string
  risk: Risk
  mode: Mode
  arguments: Record<string, unknown>
  writes: readonly string[]
  command?: string
  cwd?: string
  /** Method and origin of a request to the web. */
  scope?: string
}

type Grant = { risk: Risk; mode: Mode } & (
  | { kind: 'command'; command: string; cwd: string }
  | { kind: 'prefix'; words: string[]; cwd: string }
  | { kind: 'call'; tool: string; key: string }
  | { kind: 'tool'; tool: string }
  | { kind: 'scope'; tool: string; scope: string }
)

/** What the user allowed until the session ends. Kept in memory only, so that nothing on disk can widen it. */
export interface Grants {
  /** This exact command in this folder; for other tools, the same arguments again. */
  grantExact(call: GrantedCall): void
  /**
   * The same beginnings in the same folder.
   * @param commands the plain commands of the call's line; undefined for tools that run none, where every call of the tool is granted.
   */
  grantPrefix(call: GrantedCall, commands: readonly string[][] | undefined): void
  /** The same tool with the same method to the same origin. */
  grantScope(call: GrantedCall): void
  /** @param commands as above; undefined for a line that cannot be read, which only its exact repetition covers. */
  cover(call: GrantedCall, commands: readonly string[][] | undefined): boolean
  /** Takes back what was granted of a tool that runs no commands. */
  forget(tool: string): void
  clear(): void
}

export function createGrants(): Grants {
  let grants: Grant[] = []

  /** A grant reaches no higher risk, and from another mode not into the one that asks for everything. */
  function holds(grant: Grant, call: GrantedCall): boolean {
    return covers(grant.risk, call.risk) && (call.mode !== 'paranoid' || grant.mode === 'paranoid')
  }

  return {
    grantExact(call) {
      const { risk, mode } = call
      if (call.command === undefined) grants.push({ kind: 'call', risk, mode, tool: call.tool, key: callKey(call) })
      else grants.push({ kind: 'command', risk, mode, command: call.command, cwd: call.cwd ?? '' })
    },
    grantPrefix(call, commands) {
      const { risk, mode } = call
      if (commands === undefined) {
        grants.push({ kind: 'tool', risk, mode, tool: call.tool })
        return
      }
      for (const words of proposePrefixes(commands) ?? [])
        grants.push({ kind: 'prefix', risk, mode, words, cwd: call.cwd ?? '' })
    },
    grantScope({ risk, mode, tool, scope }) {
      if (scope !== undefined) grants.push({ kind: 'scope', risk, mode, tool, scope })
    },
    cover(call, commands) {
      const held = grants.filter((grant) => holds(grant, call))
      if (call.command === undefined) {
        const key = callKey(call)
        return held.some((grant) => {
          if (grant.kind === 'tool') return grant.tool === call.tool
          if (grant.kind === 'scope') return grant.tool === call.tool && grant.scope === call.scope
          return grant.kind === 'call' && grant.key === key
        })
      }
      const here = held.filter((grant) => 'cwd' in grant && grant.cwd === (call.cwd ?? ''))
      // The user's own word for exactly this line holds whether the line can be read or not.
      if (here.some((grant) => grant.kind === 'command' && grant.command === call.command)) return true
      if (commands === undefined || commands.length === 0) return false
      return commands.every((words) => here.some((grant) => grant.kind === 'prefix' && startsWith(words, grant.words)))
    },
    forget(tool) {
      grants = grants.filter((grant) => !('tool' in grant) || grant.tool !== tool)
    },
    clear() {
      grants = []
    },
  }
}

/** One prefix for each different command of a line; undefined when one can have none, for then the line would be asked again. */
export function proposePrefixes(commands: readonly string[][]): string[][] | undefined {
  const prefixes = new Map<string, string[]>()
  for (const words of commands) {
    const prefix = proposePrefix(words)
    if (prefix === undefined || !startsWith(words, prefix)) return undefined
    prefixes.set(JSON.stringify(prefix), prefix)
  }
  return [...prefixes.values()]
}

/** A call by what the user was shown of it: all its arguments, in whatever order they were written. */
function callKey({ tool, arguments: values }: GrantedCall): string {
  return JSON.stringify([tool, sorted(values)])
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  // Marked, so that a list of pairs is not the same as an object.
  return {
    object: Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  }
}
