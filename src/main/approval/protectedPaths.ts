import { createPlaceRules } from './placeRules.ts'

/** The shipped rules, without the places that the user adds in the settings. */
export const shippedPlaceRules = createPlaceRules()

/** Whether writing a path needs approval in every mode, by the shipped list. Decided by name only. */
export function isProtectedPath(path: string): boolean {
  return shippedPlaceRules.protection(path) !== undefined
}

/**
 * Whether reading a path needs approval in every mode, by the shipped list. Decided by name only, for a path relative
 * to the workspace. Callers resolve links.
 */
export function isSecretPath(path: string): boolean {
  return shippedPlaceRules.secret(path) !== undefined
}
