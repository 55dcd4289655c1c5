import type { ToolsetName } from './risk.ts'
import type { ToolInfo } from './tool.ts'
import { riskTexts } from './modeTexts.ts'

/** The toolsets as the user reads them. */
export const toolsetTexts: Readonly<Record<ToolsetName, string>> = {
  blade: 'Zaguán Blade',
  ultrasushitron: 'UltraSushiTron',
  rustant: 'Rustant',
  rusty: 'Rusty',
}

const effectTexts = { editor: 'Moves the editor', process: 'Ends a command' } as const

/** What a tool may do, in the words and tone of its badge. */
export function riskText({ risk, effect }: Pick<ToolInfo, 'risk' | 'effect'>): {
  label: string
  tone: 'calm' | 'warning' | 'danger'
} {
  return effect ? { label: effectTexts[effect], tone: 'calm' } : riskTexts[risk]
}

/** Why a tool cannot be called now, and where that is changed. */
export const offTexts = {
  settings: 'Switched off in the settings, under Tools.',
  web: 'Off, because tools may not reach the web. That is set in the settings, under Web.',
} as const
