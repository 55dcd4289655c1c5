/** A message to another process, as it arrives there. @throws Error "An object could not be cloned." */
export function copied(message: unknown): { data: unknown } {
  try {
    return { data: structuredClone(message) }
  } catch {
    throw new Error('An object could not be cloned.')
  }
}
