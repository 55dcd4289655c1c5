import { z } from 'zod'

/** Schema of the file parameter of most tools in this family. */
export const filePath = (doing: string) =>
  z.string().describe(`File to ${doing}, relative to the workspace or absolute inside it.`)
