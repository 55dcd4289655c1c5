import { createHash } from 'node:crypto'
import { z } from 'zod'
import { hookEvents } from '../../../shared/tools/hooks.ts'
import { mcpDefinitionSchema } from '../../../shared/tools/mcp.ts'
import type { FileFacts } from '../../../shared/plugins/plugins.ts'

const text = { name: z.string(), description: z.string(), file: z.string() }
const contentsSchema = z.object({
  version: z.string(),
  description: z.string(),
  author: z.string(),
  skills: z.array(z.object(text)),
  prompts: z.array(z.object({ ...text, hint: z.string() })),
  agents: z.array(z.object({ ...text, tools: z.array(z.string()).optional(), model: z.string().optional() })),
  hooks: z.array(
    z.object({
      event: z.enum(hookEvents),
      matcher: z.string(),
      command: z.string(),
      timeout: z.number(),
      source: z.string(),
    }),
  ),
  servers: z.array(z.object({ name: z.string(), definition: mcpDefinitionSchema })),
  notUsed: z.array(z.object({ name: z.string(), reason: z.string() })),
})
const sourceSchema = z.union([
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('archive'), name: z.string() }),
])
const versionSchema = z.object({
  hash: z.string().regex(/^[\da-f]{64}$/),
  contents: contentsSchema,
  source: sourceSchema,
})

const recordSchema = versionSchema.extend({
  name: z.string(),
  /** Hash of the version that the user trusts; null before the first decision. */
  trusted: z.string().nullable(),
  enabled: z.boolean(),
  /** The user's choices for single folders, latest last. */
  folders: z.array(z.object({ path: z.string(), enabled: z.boolean() })).default([]),
  offered: versionSchema.optional(),
})
export type PluginRecord = z.output<typeof recordSchema>

/** `plugins.json` in the user data folder. */
export const pluginFileSchema = z.object({ plugins: z.array(recordSchema).default([]) })

/** The files of a version, beside the folder with them. `hash` of the version is the hash of this list. */
export const fileListSchema = z.record(z.string(), z.object({ size: z.number(), hash: z.string() }))
export type FileList = Readonly<Record<string, FileFacts>>

export const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex')

/** Hash of a version: of the paths and contents of all its files. */
export function hashOfFiles(files: FileList): string {
  const sorted = Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return sha256(JSON.stringify(sorted.map(([file, { size, hash }]) => [file, size, hash])))
}
