import { latePart } from '../platform/latePart.ts'

/** Values, call stacks and output of sessions. They load with the first session. */
export const debugSessions = latePart(
  () => import('./followSessions.ts'),
  ({ followSessions }) => followSessions(),
)
