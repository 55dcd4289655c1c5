/** @returns variables for the tests */
export function ensureDebuggers(): Promise<Record<string, string>>
