import { monaco } from './monaco.ts'

type JsonSchemas = NonNullable<typeof monaco.json.jsonDefaults.diagnosticsOptions.schemas>

/** Adds JSON schemas of files, for completion, hovers and validation. */
export function addJsonSchemas(added: JsonSchemas): void {
  const { jsonDefaults } = monaco.json
  const { diagnosticsOptions } = jsonDefaults
  jsonDefaults.setDiagnosticsOptions({
    ...diagnosticsOptions,
    // Launch configurations and tasks may have them, as in VS Code.
    trailingCommas: 'warning',
    schemas: [...(diagnosticsOptions.schemas ?? []), ...added],
  })
}
