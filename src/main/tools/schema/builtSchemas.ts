/**
 * The result of `deriveSchemas` (offeredSchemas.ts) as JSON. Empty in the sources. The build fills it in
 * (scripts/lib/toolSchemas.mjs), because deriving the schemas takes a fifteenth of the startup time.
 */
export const builtSchemas: string = '{}'
