import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { completionFiguresSchema, type CompletionFigures } from '../../shared/editor/inlineCompletion.ts'
import { modelReportSchema, type ModelReport } from '../../shared/models/modelCheck.ts'
import type { UserKeybinding } from '../../shared/editor/keymap.ts'
import { maxExtensionBytes } from '../../shared/extensions/extensions.ts'
import { toFailure } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Emit } from '../agent/conversation/transcript.ts'
import { sessionFileSchema, type SessionFile } from '../sessions/sessionRecords.ts'
import { parseHookFile } from '../hooks/hookFiles.ts'
import { fieldText, parseFrontMatter, splitList } from '../instructions/frontMatter.ts'
import { parseDefinitions } from '../mcp/serverDefinitions.ts'
import { openArchive } from '../extract/zipArchive.ts'
import { createIsolatedJobs } from '../base/isolatedJob.ts'
import { openDatabase, storeFile } from '../history/database.ts'
import { calibrationsSchema, type CalibrationFile } from '../model/endpoints/guidedCalls.ts'
import { keepStoreCopy } from '../history/storeCopy.ts'
import type { Platform } from './platform.ts'
import type { PluginReaders } from '../settings/plugins/readPlugin.ts'
import { openJsonFile, type JsonFile } from '../settings/jsonFile.ts'
import { createFolderTrust, type FolderTrust } from '../settings/folderTrust.ts'
import { createColorThemes, type ColorThemes } from '../settings/colorThemes.ts'
import { createExtensionStore, type ExtensionStore } from '../settings/extensions/extensionStore.ts'
import { createExpressionJudge } from '../settings/extensions/judgeExpressions.ts'
import { createPluginStore, type PluginStore } from '../settings/plugins/pluginStore.ts'
import { createKeybindingStore, type KeybindingStore } from '../settings/keybindingStore.ts'
import { createRecentFolders, type RecentFolders } from '../settings/recentFolders.ts'
import { createFileSecretStore, type SecretStore } from '../settings/secretStore.ts'
import { createSettingsStore, type SettingsStore } from '../settings/settingsStore.ts'
import { createUserFiles, type UserFiles } from '../settings/userFiles.ts'
import { createTrustStore, type TrustStore } from '../settings/trustStore.ts'

/** Maximum unpacked bytes of the parts that are read of an extension. A part can be read several times. */
const maxUnpackedExtension = 256 * 1024 * 1024

/** The stores in the user data folder. */
export interface UserData {
  /** Conversations, checkpoints, the edit journal and layouts. */
  db: DatabaseSync
  /** Returns the number of other processes that use the database. */
  otherProcesses(): number
  settings: SettingsStore
  keybindings: KeybindingStore
  /** Keyboard shortcuts and snippets as text. */
  userFiles: UserFiles
  themes: ColorThemes
  extensions: ExtensionStore
  plugins: PluginStore
  secrets: SecretStore
  recents: RecentFolders
  /** Decisions about definitions in workspaces, such as MCP servers. */
  trust: TrustStore
  /** Decisions about whole folders. */
  folderTrust: FolderTrust
  /** Statistics of inline completion. */
  completionFigures: JsonFile<CompletionFigures>
  /** What guided turns learned about models. */
  calibrations: CalibrationFile
  /** Worktrees that Tizona made. */
  sessions: JsonFile<SessionFile>
  /** Results of "Check my model", latest first. */
  modelReports: JsonFile<ModelReport[]>
  close(): void
}

interface UserDataOptions {
  platform: Platform
  /** Settings that override the stored ones in this process. */
  settings: Partial<Settings> | undefined
  /** API keys by endpoint id that override the stored ones in this process. */
  keys: Readonly<Record<string, string>>
  emit: Emit
  warn(message: string): void
}

/** What other services read of a plug-in. */
export const pluginReaders: PluginReaders = {
  hooks: parseHookFile,
  servers: parseDefinitions,
  matter(text) {
    const matter = parseFrontMatter(text)
    return {
      field: (name) => fieldText(matter, name),
      list: (name) => (matter.fields.get(name) ?? []).flatMap(splitList),
      body: matter.body,
    }
  },
}

/** Opens every store. Damaged files are moved aside with a warning. */
export async function openUserData({ platform, settings, keys, emit, warn }: UserDataOptions): Promise<UserData> {
  const { userData } = platform
  const { db, problem, otherProcesses, close } = await openDatabase(userData, warn)
  if (problem !== undefined) warn(problem)
  const settingsStore = await createSettingsStore(userData, warn, settings)
  settingsStore.onChanged((changed) => emit('settings.changed', changed))
  /** Shortcuts of extensions, which the user's override. */
  let extensionKeys: readonly UserKeybinding[] = []
  const showKeymap = (): void =>
    platform.keymapChanged?.({
      choice: settingsStore.get().keymap,
      user: [...extensionKeys, ...keybindings.get()],
    })
  const keybindings = await createKeybindingStore(userData, warn, (bindings) => {
    emit('keybindings.changed', { keybindings: bindings })
    showKeymap()
  })
  settingsStore.onChanged(showKeymap)
  platform.restoreWindowsChanged?.(settingsStore.get().restoreWindows)
  settingsStore.onChanged(({ restoreWindows }) => platform.restoreWindowsChanged?.(restoreWindows))
  platform.keepRunningChanged?.(settingsStore.get().sessions.keepRunning)
  settingsStore.onChanged(({ sessions }) => platform.keepRunningChanged?.(sessions.keepRunning))
  showKeymap()
  const isolatedJobs = createIsolatedJobs(platform.fork)
  const stopWork = [settingsStore.follow(), keybindings.follow(), keepStoreCopy(storeFile(userData), isolatedJobs)]
  const recents = await createRecentFolders(userData, warn, (folders) => {
    emit('recents.changed', folders)
    platform.recentsChanged?.(folders)
  })
  platform.recentsChanged?.(recents.list())
  const stored = await createFileSecretStore(userData, warn, platform.keyring)
  const secrets: SecretStore = { ...stored, get: async (id) => (Object.hasOwn(keys, id) ? keys[id] : stored.get(id)) }
  const own = { replaceable: true }
  const followExtensionKeys = async (): Promise<void> => {
    extensionKeys = (await extensions.contributions()).keybindings
    showKeymap()
  }
  const extensions = await createExtensionStore({
    userDataFolder: userData,
    openArchive: (content) => openArchive(content, maxUnpackedExtension),
    judge: createExpressionJudge(isolatedJobs),
    onNotice: warn,
    onChanged(ids) {
      emit('extensions.changed', { ids })
      if (platform.keymapChanged) followExtensionKeys().catch((error: unknown) => warn(toFailure(error).message))
    },
  })
  if (platform.keymapChanged) await followExtensionKeys()
  const plugins = await createPluginStore({
    userDataFolder: userData,
    openArchive: (content) => openArchive(content, maxExtensionBytes),
    readers: pluginReaders,
    onNotice: warn,
  })
  plugins.onChanged((names) => emit('plugins.changed', { names }))
  stopWork.push(plugins.follow())
  return {
    db,
    otherProcesses,
    settings: settingsStore,
    keybindings,
    userFiles: createUserFiles(userData, keybindings, (file) => emit('snippets.changed', { file })),
    themes: createColorThemes(userData),
    extensions,
    plugins,
    secrets,
    recents,
    trust: await createTrustStore(userData, warn),
    folderTrust: await createFolderTrust(userData, warn),
    completionFigures: await openJsonFile(join(userData, 'completion.json'), completionFiguresSchema, {}, warn, own),
    calibrations: await openJsonFile(join(userData, 'calibrations.json'), calibrationsSchema, {}, warn, own),
    sessions: await openJsonFile(join(userData, 'sessions.json'), sessionFileSchema, {}, warn, own),
    modelReports: await openJsonFile(join(userData, 'model-checks.json'), z.array(modelReportSchema), [], warn, own),
    close() {
      stopWork.forEach((stop) => stop())
      close()
    },
  }
}
