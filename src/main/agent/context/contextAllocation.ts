import { profileFor, type ProfileChoice, type PromptProfile } from '../../../shared/promptProfile.ts'

/** Tokens taken for a window that neither the server nor the user names. Smaller ones are common only where servers do name them. */
export const assumedWindow = 32_768

/**
 * The profile of a conversation's requests.
 * @param own what was chosen for the conversation, if anything
 * @param general what the settings say
 * @param contextWindow tokens
 */
export function promptProfile(
  own: ProfileChoice | undefined,
  general: ProfileChoice,
  contextWindow: number,
): PromptProfile {
  const choice = own ?? general
  return choice === 'auto' ? profileFor(contextWindow) : choice
}

/** Kept free for the answer, in tokens: an eighth of the window, for small models answer briefly and large windows have room for thought. */
export function answerRoom(window: number): number {
  return Math.min(4096, Math.max(256, Math.floor(window / 8)))
}
