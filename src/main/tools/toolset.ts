import type { ToolsetName } from '../../shared/risk.ts'
import type { Tool, ToolOutput } from './tool.ts'

/** A family of tools as one system of models knows them. */
export interface Toolset {
  name: ToolsetName
  /** Human title, e.g. "Zaguán Blade". */
  title: string
  tools: readonly Tool[]
  /** By main name: what small windows are offered (offer.ts). The tools that do the work: read, search, edit, write, list, run. */
  core?: Readonly<Record<string, CoreTool>>
  /** What windows of about 16k are offered beside the core, or otherwise than there. */
  medium?: Readonly<Record<string, CoreTool>>
  /** The family's rule for results that are too long for a model. */
  truncate(output: ToolOutput): { text: string; truncated: boolean }
}

/** What a small window is told of a tool. Its required parameters always stand there. */
export interface CoreTool {
  /** Parameters that are offered though they may be left out. */
  optional?: readonly string[]
  /** Parameters that are optional otherwise, because another one that is left out here could stand in their place. */
  required?: readonly string[]
  /** Told in place of the description's first sentence. */
  brief?: string
  /** Offered in the smallest windows too. */
  minimal?: true
}
