/** How much of the context window instructions and tools may use, largest first. */
export const promptProfiles = ['full', 'medium', 'compact', 'minimal'] as const
export type PromptProfile = (typeof promptProfiles)[number]

/** Values of the setting. `auto` selects the profile by the size of the context window. */
export const profileChoices = ['auto', ...promptProfiles] as const
export type ProfileChoice = (typeof profileChoices)[number]

/** Whether a profile takes up more of the prompt than another one. */
export function isLarger(profile: PromptProfile, other: PromptProfile): boolean {
  return promptProfiles.indexOf(profile) < promptProfiles.indexOf(other)
}

/** Returns the next smaller profile, or undefined for the smallest. */
export function smallerProfile(profile: PromptProfile): PromptProfile | undefined {
  return promptProfiles[promptProfiles.indexOf(profile) + 1]
}
