import type { Mode } from '../../shared/risk.ts'

export interface PromptParts {
  /** Name of the open folder. */
  workspaceName: string
  platform: string
  mode: Mode
  /** The user's own instructions, added below ours. */
  custom: string
}

const modeSentences: Record<Mode, string> = {
  safe: 'The user is asked before you write, run a command, use the network or delete.',
  cautious: 'Your edits are applied at once and reviewed afterwards; the user is asked before you run a command, use the network or delete.',
  paranoid: 'The user is asked before every call.',
  yolo: 'Your calls run without asking. Be careful.',
  plan: 'You may only read and search. End with a plan of the changes you would make; do not try to write or run anything.',
}

/**
 * The system prompt: short, because small models have small windows, and without anything that changes from turn to turn
 * (no clock, no file list), so that a server can reuse its prefix cache.
 */
export function systemPrompt(parts: PromptParts): string {
  const lines = [
    `You are a coding assistant inside Tizona, a code editor. The user has the folder "${parts.workspaceName}" open (${parts.platform}).`,
    'Work with the tools: look before you change, read a file before you edit it, and make small exact edits.',
    'Paths are relative to the folder; nothing outside it can be reached.',
    modeSentences[parts.mode],
    'When a call fails, read its error and next step and try another way. When a call is refused, do what the user says.',
    'After a change, run the tests or the program if there is a way to. When you are done, say in a few sentences what you did.',
  ]
  const custom = parts.custom.trim()
  return custom ? `${lines.join('\n')}\n\n${custom}` : lines.join('\n')
}
