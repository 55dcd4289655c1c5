import { uriOf } from '../../platform/editor/monaco/monaco.ts'
import { addJsonSchemas } from '../../platform/editor/monaco/jsonSchemas.ts'
import { request } from '../../platform/bridge/bridge.ts'

let registered = false

/** Registers the schema of launch.json, which main derives from the supported debuggers. */
export async function registerLaunchSchema(): Promise<void> {
  if (registered) return
  const schema = await request('debug.launchSchema', {})
  registered = true
  addJsonSchemas([
    {
      uri: 'tizona-schema:/launch',
      fileMatch: [uriOf('.vscode/launch.json').toString(), '**/.vscode/launch.json'],
      schema,
    },
  ])
}
