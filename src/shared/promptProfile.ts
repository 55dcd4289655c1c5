/** How much of a model's window instructions and tools may take. */
export const promptProfiles = ['full', 'medium', 'compact', 'minimal'] as const
export type PromptProfile = (typeof promptProfiles)[number]

/** As the window calls them. */
export const profileNames: Readonly<Record<PromptProfile, string>> = {
  full: 'Full',
  medium: 'Medium',
  compact: 'Compact',
  minimal: 'Minimal',
}

/** What settings hold: a profile for every conversation, or the one that fits the model's window. */
export const profileChoices = ['auto', ...promptProfiles] as const
export type ProfileChoice = (typeof profileChoices)[number]

/** The next smaller profile; undefined below the smallest. */
export function smallerProfile(profile: PromptProfile): PromptProfile | undefined {
  return promptProfiles[promptProfiles.indexOf(profile) + 1]
}
