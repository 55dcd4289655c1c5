import { mainArgument, parseArguments } from '../../../shared/callArguments.ts'
import { plural } from '../../../shared/plural.ts'

/** Returns the line that shows a call of a sub-agent while it works: its tool and most informative argument. */
export function callText(tool: string, written: string): string {
  const values = parseArguments(written)
  const argument = values ? mainArgument(values) : written
  return `${argument === '' ? tool : `${tool} ${argument}`}\n`
}

/** Returns what a sub-agent costs on a server that keeps one prompt. For the user. */
export function lostPromptText(tokens: number): string {
  return `The model server keeps one prompt, so it reads the conversation again (${plural(tokens, 'token')}). Start llama-server with more slots (-np 2) or with --slot-save-path to avoid this.\n`
}
