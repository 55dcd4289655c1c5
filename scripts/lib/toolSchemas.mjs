import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './paths.mjs'

const source = join(root, 'src/main/tools/offeredSchemas.ts')

/**
 * Derives the schemas that models get of the tools, and puts them into the build.
 * @returns {import('vite').Plugin}
 */
export function toolSchemas() {
  return {
    name: 'tool-schemas',
    apply: 'build',
    async load(id) {
      // A build that follows changes of the sources would keep the first schemas.
      if (!id.endsWith('/tools/schema/builtSchemas.ts') || this.meta.watchMode) return undefined
      const { deriveSchemas } = await import(pathToFileURL(source).href)
      return `export const builtSchemas = ${JSON.stringify(JSON.stringify(deriveSchemas()))}`
    },
  }
}
