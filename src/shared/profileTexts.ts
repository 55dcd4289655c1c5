import type { ProfileChoice } from './promptProfile.ts'

/** What each prompt profile is called, and what it means. */
export const profileTexts: Readonly<Record<ProfileChoice, { label: string; detail: string }>> = {
  auto: {
    label: 'Automatic (by context size)',
    detail: 'Minimal below 6,000 tokens, compact below 12,000, medium below 24,000, else full',
  },
  full: { label: 'Full', detail: 'Every tool with its whole description' },
  medium: {
    label: 'Medium',
    detail: 'About 18 tools for a coding task, a sentence each: at most 2,600 tokens with the instructions',
  },
  compact: {
    label: 'Compact',
    detail: 'The tools that do the work, in few words: at most 1,500 tokens with the instructions',
  },
  minimal: {
    label: 'Minimal',
    detail: 'The fewest tools in the fewest words: at most 700 tokens with the instructions',
  },
}
