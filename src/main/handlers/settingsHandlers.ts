import { ToolError, toFailure } from '../../shared/errors.ts'
import type { Settings, StoredFolderSettings } from '../../shared/settings/settings.ts'
import type { Platform } from '../appServices/platform.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import {
  applySettingsDocument,
  editFolderSettings,
  parseFolderSettings,
  settingsDocument,
  settingsJsonSchemas,
} from '../settings/settingsDocument.ts'
import type { SecretStore } from '../settings/secretStore.ts'
import { folderSettingsFile } from '../workspaceServices/restrictedFolderSettings.ts'
import { braveKeyId } from '../web/webAccess.ts'
import type { Handlers } from '../core/coreContract.ts'

export type SettingsHandlers = Pick<
  Handlers,
  | 'settings.set'
  | 'settings.document'
  | 'settings.setDocument'
  | 'settings.folder'
  | 'settings.setFolder'
  | 'web.setBraveKey'
  | 'endpoints.list'
  | 'endpoints.look'
  | 'endpoints.save'
  | 'endpoints.remove'
  | 'endpoints.allow'
  | 'endpoints.test'
  | 'endpoints.pickFile'
>

/** Handles requests about settings and endpoints. Keys are stored and never sent to a window. */
export function createSettingsHandlers(deps: {
  settings: {
    get(): Settings
    set(patch: Partial<Settings>): Promise<Settings>
    update(change: (stored: Settings) => Partial<Settings>): Promise<Settings>
  }
  secrets: SecretStore
  endpoints: Endpoints
  /** Opens the system's file dialog for one file extension. Absent if the host has none. */
  pickFile: Platform['pickFile']
  /** Reads the open folder's settings if the user trusts it; null if there are none. */
  readFolderSettings(): Promise<string | null>
  /** Reads the editor settings of VS Code in it. */
  readVsCodeSettings(): Promise<Partial<Settings['editor']>>
  /** Changes the text of these settings. @throws ToolError `refused` if the user does not trust the folder */
  changeFolderSettings(change: (text: string) => string): Promise<void>
}): SettingsHandlers {
  const { settings, secrets, endpoints } = deps
  /** Reads both files, so that one that cannot be read does not turn the other off. */
  async function readFolder(): Promise<StoredFolderSettings> {
    const problems: string[] = []
    const orProblem = async <T>(read: Promise<T>, fallback: T, file: string): Promise<T> =>
      read.catch((error: unknown) => {
        problems.push(`${file} cannot be read. ${toFailure(error).message}`)
        return fallback
      })
    const text = await orProblem(deps.readFolderSettings(), null, folderSettingsFile)
    const vsCode = await orProblem(deps.readVsCodeSettings(), {}, 'The folder .vscode')
    let settings: StoredFolderSettings['settings'] = {}
    try {
      const parsed = parseFolderSettings(text ?? '')
      settings = parsed.settings
      problems.unshift(parsed.problem)
    } catch (error) {
      problems.unshift(toFailure(error).message)
    }
    return { vsCode, settings, problem: problems.filter((each) => each !== '').join(' ') }
  }

  return {
    'settings.set': (patch) => {
      // Endpoints have their own requests, which do not send a stored key to a changed URL.
      if (patch.endpoints && JSON.stringify(patch.endpoints) !== JSON.stringify(settings.get().endpoints)) {
        throw new ToolError(
          'invalid_arguments',
          'settings.set cannot change endpoints.',
          'Use endpoints.save or endpoints.remove.',
        )
      }
      if (patch.mcp && JSON.stringify(patch.mcp) !== JSON.stringify(settings.get().mcp)) {
        throw new ToolError(
          'invalid_arguments',
          'settings.set cannot change MCP servers.',
          'Use the mcp requests, such as mcp.save and mcp.setOff.',
        )
      }
      // A window cannot change whether a key is stored.
      const { hasBraveKey } = settings.get().web
      return settings.set(patch.web ? { ...patch, web: { ...patch.web, hasBraveKey } } : patch)
    },
    'settings.document': () => ({ text: settingsDocument(settings.get()), ...settingsJsonSchemas() }),
    async 'settings.setDocument'({ text, base, overwrite }) {
      let unused: string[] = []
      await settings.update((stored) => {
        const applied = applySettingsDocument(text, base, stored, { overwrite })
        unused = applied.unused
        return applied.settings
      })
      return { unused }
    },
    'settings.folder': readFolder,
    async 'settings.setFolder'({ name, value }) {
      await deps.changeFolderSettings((text) => editFolderSettings(text, name, value))
      return readFolder()
    },
    async 'web.setBraveKey'({ key }) {
      await secrets.set(braveKeyId, key)
      return settings.update(({ web }) => ({ web: { ...web, hasBraveKey: key !== null } }))
    },
    'endpoints.list': (params, signal) => endpoints.list(params, signal),
    'endpoints.look': () => endpoints.poll(),
    'endpoints.save': ({ endpoint, key, unlessKnown }, signal) =>
      endpoints.save(endpoint, key, signal, { unlessKnown }),
    'endpoints.remove': ({ id }) => endpoints.remove(id),
    'endpoints.allow'() {
      throw new ToolError('refused', 'This window works on this computer, whose model servers it uses anyway.')
    },
    async 'endpoints.pickFile'() {
      if (!deps.pickFile)
        throw new ToolError('no_window', 'The file dialog is not available here.', 'Enter the path of the file.')
      return deps.pickFile({ title: 'Open a model file', name: 'GGUF models', extension: 'gguf' })
    },
    'endpoints.test': ({ endpoint, key }, signal) => endpoints.test(endpoint, key, signal),
  }
}
