import { request } from '../platform/bridge/bridge.ts'
import { folderSettingsPath } from '../platform/editorSettings.ts'
import { monaco, uriOf } from '../platform/editor/monaco.ts'

/** URI of the text of the user's settings. */
export const settingsUri = 'tizona-settings:/settings.json'

let registered = false

/** Registers the schemas of user and folder settings in Monaco, for completion, hovers and squiggles. */
export async function registerSettingsSchemas(): Promise<void> {
  if (registered) return
  const { schema, folderSchema } = await request('settings.document', {})
  registered = true
  const { jsonDefaults } = monaco.json
  const folderUri = uriOf(folderSettingsPath).toString()
  jsonDefaults.setDiagnosticsOptions({
    ...jsonDefaults.diagnosticsOptions,
    schemas: [
      ...(jsonDefaults.diagnosticsOptions.schemas ?? []),
      { uri: 'tizona-schema:/settings', fileMatch: [settingsUri], schema },
      { uri: 'tizona-schema:/folder-settings', fileMatch: [folderUri], schema: folderSchema },
    ],
  })
}
