import { z } from 'zod'

/** The parameter most tools of this family name a file with. */
export const filePath = (doing: string) =>
  z.string().describe(`File to ${doing}, absolute or relative to the workspace; it must lie in the workspace.`)
