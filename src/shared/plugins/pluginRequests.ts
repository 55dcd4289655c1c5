import { z } from 'zod'
import { maxExtensionBytes } from '../extensions/extensions.ts'
import { noParams, path, request } from '../requestType.ts'
import { maxPluginFiles, type PluginChange, type PluginData, type PluginInfo, type PluginOutcome } from './plugins.ts'

/** Bytes in base64. */
const data = z.string().max(Math.ceil(maxExtensionBytes / 3) * 4)
const name = z.string().min(1).max(200)
const hash = z.string().min(1).max(100)

/** What came of adding a plug-in or a version of it. */
export interface AddedPlugin {
  outcome: PluginOutcome
  plugin: PluginInfo
}

export const pluginRequests = {
  /** Lists the installed plug-ins with what each brings. */
  'plugins.list': request<PluginInfo[]>()(() => noParams),
  /**
   * Copies a folder of the machine that runs Tizona. Nothing of it is used before the user trusts it. If a plug-in of
   * this name is installed, the version is offered. @throws invalid_arguments
   */
  'plugins.addFolder': request<AddedPlugin>()(() => z.object({ path })),
  /** Like `addFolder`, for a .zip file. */
  'plugins.addArchive': request<AddedPlugin>()(() => z.object({ name, data })),
  /** Like `addFolder`, for the files of a folder that was dropped. */
  'plugins.addFiles': request<AddedPlugin>()(() =>
    z.object({ name, files: z.array(z.object({ path, data })).max(maxPluginFiles) }),
  ),
  /** Compares a plug-in with the folder that it came from. @throws invalid_arguments, not_found */
  'plugins.check': request<AddedPlugin>()(() => z.object({ name })),
  /** Returns the differences between the installed and the offered version. */
  'plugins.changes': request<PluginChange[]>()(() => z.object({ name, hash })),
  /** Lists the files of the installed or offered version. @throws conflict if there is no such version */
  'plugins.files': request<{ path: string; size: number }[]>()(() => z.object({ name, hash })),
  /** Reads one of these files for the user. Null: it is binary, large, missing or changed. @throws conflict */
  'plugins.readText': request<string | null>()(() => z.object({ name, hash, path })),
  /** Replaces the installed version by the offered one, which is then trusted. @throws conflict */
  'plugins.accept': request<PluginInfo>()(() => z.object({ name, hash })),
  /** Deletes the offered version. */
  'plugins.dismiss': request<void>()(() => z.object({ name, hash })),
  /** Stores that the user trusts, or no longer trusts, these files. @throws conflict if they have changed */
  'plugins.trust': request<void>()(() => z.object({ name, hash, trusted: z.boolean() })),
  /**
   * Turns a plug-in on or off: in all folders, which ends the choice for the open one, or only in the open one. Off in all
   * folders ends every choice to have it on.
   * @throws no_workspace
   */
  'plugins.setEnabled': request<void>()(() =>
    z.object({ name, enabled: z.boolean(), onlyHere: z.boolean().optional() }),
  ),
  /** Measures the data that a plug-in keeps. */
  'plugins.data': request<PluginData>()(() => z.object({ name })),
  'plugins.remove': request<void>()(() => z.object({ name, deleteData: z.boolean().optional() })),
} as const
