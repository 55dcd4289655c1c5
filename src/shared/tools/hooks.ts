/** Files of a folder that define hooks, and the agent whose format they have. */
export const hookFiles = ['.claude/settings.json', '.claude/settings.local.json', '.codex/hooks.json'] as const

/** Events of hooks that Tizona runs, as Claude Code and Codex name them. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'SessionStart',
] as const
export type HookEvent = (typeof hookEvents)[number]

/**
 * `new`: it does not run until the user decides. `changed`: the definition or a script differs from what the user
 * approved; what it would have checked is refused until the user decides again. `lost`: it was approved, and its file
 * cannot be read or has hooks that are not used; what it would have checked is refused. `refused`: it never runs.
 */
export type HookState = 'approved' | 'new' | 'changed' | 'lost' | 'refused'

/** A hook that a file of the open folder or a plug-in defines. */
export interface HookInfo {
  /** Hash of the definition and the scripts, which a decision is about. */
  id: string
  /** File that defines it, relative to the workspace, or the plug-in as text. */
  source: string
  /** The plug-in that brings it, and whether its files have changed since the user trusted it. */
  plugin?: { name: string; changed: boolean }
  event: HookEvent
  /** Names of tools or sources that it is limited to. Empty: all. */
  matcher: string
  command: string
  /** Time limit in seconds. */
  timeout: number
  /** Files of the folder that the command names, relative to the workspace. */
  scripts: string[]
  /** What looks like a file in the command, if no file of it was found. Nothing is compared for it. */
  missing: string[]
  state: HookState
}

/** Hooks of the open folder. */
export interface HookList {
  hooks: HookInfo[]
  /** What the files define and Tizona does not use: a sentence each. */
  problems: string[]
  /** Whether the folder is not trusted, so that no hook runs. */
  restricted: boolean
}
