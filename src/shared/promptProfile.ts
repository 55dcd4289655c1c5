/** How much of the context window instructions and tools may use. */
export const promptProfiles = ['full', 'medium', 'compact', 'minimal'] as const
export type PromptProfile = (typeof promptProfiles)[number]

/** Display names. */
export const profileNames: Readonly<Record<PromptProfile, string>> = {
  full: 'Full',
  medium: 'Medium',
  compact: 'Compact',
  minimal: 'Minimal',
}

/** Values of the setting. `auto` selects the profile by the size of the context window. */
export const profileChoices = ['auto', ...promptProfiles] as const
export type ProfileChoice = (typeof profileChoices)[number]

/** The next smaller profile; undefined below the smallest. */
export function smallerProfile(profile: PromptProfile): PromptProfile | undefined {
  return promptProfiles[promptProfiles.indexOf(profile) + 1]
}
