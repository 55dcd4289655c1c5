import { plural } from '../../../shared/plural.ts'

/** Returns what a sub-agent costs on a server that keeps one prompt. For the user. */
export function lostPromptText(tokens: number): string {
  return `The model server keeps one prompt, so it reads the conversation again (${plural(tokens, 'token')}). Start llama-server with more slots (-np 2) or with --slot-save-path to avoid this.\n`
}
