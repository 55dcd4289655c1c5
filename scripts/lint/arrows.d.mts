/** Returns the reason why a file may not import a specifier, or null. Paths are relative to the root and use `/`. */
export function violation(file: string, specifier: string, typeOnly: boolean): string | null
