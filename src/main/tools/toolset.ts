import type { ToolsetName } from '../../shared/risk.ts'
import type { Tool, ToolOutput } from './toolDefinition.ts'

/** A family of tools, as one group of models was trained on them. */
export interface Toolset {
  name: ToolsetName
  /** Display name, e.g. "Zaguán Blade". */
  title: string
  tools: readonly Tool[]
  /**
   * Tools for small context windows, by main name (promptTools.ts): enough to read, search, edit, write, list and run
   * commands.
   */
  core?: Readonly<Record<string, CoreTool>>
  /** Further tools for context windows of about 16k tokens. Entries replace those of `core`. */
  medium?: Readonly<Record<string, CoreTool>>
  /** Truncates long results by the rule of the family. */
  truncate(output: ToolOutput): { text: string; truncated: boolean }
}

/** How a tool is offered in a small context window. Required parameters are always included. */
export interface CoreTool {
  /** Optional parameters to include. */
  optional?: readonly string[]
  /** Parameters that are required here, because the alternative to them is not offered. */
  required?: readonly string[]
  /** Replaces the first sentence of the description. */
  brief?: string
  /** Also offered in the smallest context windows. */
  minimal?: true
}
