import type { ProfileChoice } from './promptProfile.ts'

/** Labels and descriptions of the prompt profiles. */
export const profileTexts: Readonly<Record<ProfileChoice, { label: string; detail: string }>> = {
  auto: {
    label: 'Automatic (by context size)',
    detail: 'Minimal below 6,000 tokens, compact above',
  },
  full: { label: 'Full', detail: 'All tools with full descriptions' },
  medium: {
    label: 'Medium',
    detail:
      'About 18 coding tools with one-sentence descriptions, and two that find and call the others; at most 2,600 tokens including instructions',
  },
  compact: {
    label: 'Compact',
    detail:
      'Essential tools with short descriptions, and two that find and call the others; at most 1,500 tokens including instructions',
  },
  minimal: {
    label: 'Minimal',
    detail: 'As few tools as possible; at most 700 tokens including instructions',
  },
}
