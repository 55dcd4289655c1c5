import { z } from 'zod'

/**
 * Schema of the file parameter of most tools in this toolset.
 * @param action what the tool does with it, e.g. `edit`
 */
export const filePath = (action: string) => z.string().describe(`File to ${action}, relative to the workspace.`)
