import type { ToolsetName } from './risk.ts'
import type { ToolInfo } from './tool.ts'
import { riskTexts } from './modeTexts.ts'

/** Display names of the toolsets. */
export const toolsetLabels: Readonly<Record<ToolsetName, string>> = {
  blade: 'Zaguán Blade',
  ultrasushitron: 'UltraSushiTron',
  rustant: 'Rustant',
  rusty: 'Rusty',
}

const effectTexts = { editor: 'Moves the editor', process: 'Ends a command' } as const

/** Returns the label and color of a tool's badge. */
export function riskText({ risk, effect }: Pick<ToolInfo, 'risk' | 'effect'>): {
  label: string
  tone: 'calm' | 'warning' | 'danger'
} {
  return effect ? { label: effectTexts[effect], tone: 'calm' } : riskTexts[risk]
}

/** Explains why a tool is disabled and where to enable it. */
export const disabledTexts = {
  settings: 'Disabled in Settings, under Tools.',
  web: 'Disabled because web access is off in Settings, under Web.',
  trust: 'Disabled because this folder is not trusted.',
} as const
