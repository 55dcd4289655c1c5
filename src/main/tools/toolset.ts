import type { ToolsetName } from '../../shared/tools/risk.ts'
import type { Tool, ToolOutput } from './toolDefinition.ts'

/** The tools that one group of models was trained on, under the names that these models know. */
export interface Toolset {
  name: ToolsetName
  /** Display name, e.g. "Zaguán Blade". */
  title: string
  tools: readonly Tool[]
  /**
   * Core tools for small context windows, by main name (promptTools.ts): enough to read, search, edit, write, list and
   * run commands.
   */
  core?: Readonly<Record<string, CoreTool>>
  /** Further tools for context windows of about 16k tokens. Entries replace those of `core`. */
  medium?: Readonly<Record<string, CoreTool>>
  /** Truncates long results by the rule of the toolset. */
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
