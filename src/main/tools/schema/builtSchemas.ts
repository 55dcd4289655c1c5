/**
 * What `deriveSchemas` (offeredSchemas.ts) returns, as JSON. Empty in the sources: the build fills it
 * (scripts/lib/toolSchemas.mjs), because deriving takes a fifteenth of a start.
 */
export const builtSchemas: string = '{}'
