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

/** Windows below these get the profile, in tokens; larger ones the full one. */
const limits: readonly { below: number; profile: PromptProfile }[] = [
  { below: 6_000, profile: 'minimal' },
  { below: 12_000, profile: 'compact' },
  // Windows of about 16k, Ollama's as Tizona asks for it among them.
  { below: 24_000, profile: 'medium' },
]

/** The profile that leaves room for work in a window of so many tokens. */
export function profileFor(contextWindow: number): PromptProfile {
  return limits.find(({ below }) => contextWindow < below)?.profile ?? 'full'
}

/** The next smaller profile; undefined below the smallest. */
export function smallerProfile(profile: PromptProfile): PromptProfile | undefined {
  return promptProfiles[promptProfiles.indexOf(profile) + 1]
}
