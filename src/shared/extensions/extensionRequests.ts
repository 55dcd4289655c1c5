import { z } from 'zod'
import { id, noParams, path, request } from '../requestType.ts'
import { maxExtensionBytes, maxFolderFiles, type Contributions, type ExtensionInfo } from './extensions.ts'
import type { IconTheme } from './iconTheme.ts'

/** Bytes in base64. */
const data = z.string().max(Math.ceil(maxExtensionBytes / 3) * 4)
const name = z.string().min(1).max(200)

export const extensionRequests = {
  /** Lists the installed extensions with what Tizona uses of each. */
  'extensions.list': request<ExtensionInfo[]>()(() => noParams),
  /** Installs a packed VS Code extension (.vsix), or replaces it. Runs none of it. @throws invalid_arguments */
  'extensions.install': request<ExtensionInfo>()(() => z.object({ name, data })),
  /** Installs the folder of an extension. `files`: those that can be used, with paths relative to it. */
  'extensions.installFolder': request<ExtensionInfo>()(() =>
    z.object({ name, files: z.array(z.object({ path, data })).max(maxFolderFiles) }),
  ),
  'extensions.remove': request<void>()(() => z.object({ id })),
  'extensions.setEnabled': request<void>()(() => z.object({ id, enabled: z.boolean() })),
  /** Returns what the enabled extensions bring to the window. */
  'extensions.contributions': request<Contributions>()(() => noParams),
  /** Reads a grammar or a JSON schema. @throws not_found */
  'extensions.readText': request<string>()(() => z.object({ extension: id, path })),
  /** Reads a file icon theme. @throws not_found */
  'extensions.iconTheme': request<IconTheme>()(() => z.object({ id: z.string().min(1).max(400) })),
  /** Reads images and fonts of an icon theme as data URLs, in the order of `paths`; null for one that is missing. */
  'extensions.images': request<(string | null)[]>()(() => z.object({ extension: id, paths: z.array(path).max(200) })),
} as const
