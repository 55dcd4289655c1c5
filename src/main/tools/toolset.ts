import type { ToolsetName } from '../../shared/risk.ts'
import type { Tool, ToolOutput } from './tool.ts'

/** A family of tools as one system of models knows them. */
export interface Toolset {
  name: ToolsetName
  /** Human title, e.g. "Zaguán Blade". */
  title: string
  tools: readonly Tool[]
  /** The family's rule for results that are too long for a model. */
  truncate(output: ToolOutput): { text: string; truncated: boolean }
}
