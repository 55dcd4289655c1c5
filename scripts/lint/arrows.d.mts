/** Why a file may not import a specifier, or null. Paths are relative to the root, with `/`. */
export function violation(file: string, specifier: string, typeOnly: boolean): string | null
