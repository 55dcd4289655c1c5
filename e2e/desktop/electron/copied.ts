/** Copies a message as Electron does between processes. @throws Error "An object could not be cloned." */
export function copied(message: unknown): { data: unknown } {
  try {
    return { data: structuredClone(message) }
  } catch {
    throw new Error('An object could not be cloned.')
  }
}
