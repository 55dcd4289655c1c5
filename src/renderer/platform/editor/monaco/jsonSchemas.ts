import { monaco } from './monaco.ts'

type JsonSchemas = NonNullable<typeof monaco.json.jsonDefaults.diagnosticsOptions.schemas>

const extensionScheme = 'tizona-extension:'

/** Returns the URI of a schema of an extension. */
export const extensionSchemaUri = (extension: string, path: string): string =>
  `${extensionScheme}/${extension}/${encodeURI(path)}`

/** Replaces the JSON schemas of extensions. */
export function setExtensionSchemas(schemas: JsonSchemas): void {
  setSchemas((others) => [...others.filter(({ uri }) => !uri.startsWith(extensionScheme)), ...schemas])
}

/** Adds JSON schemas of files, for completion, hovers and validation. */
export function addJsonSchemas(added: JsonSchemas): void {
  setSchemas((others) => [...others, ...added])
}

function setSchemas(change: (schemas: JsonSchemas) => JsonSchemas): void {
  const { jsonDefaults } = monaco.json
  const { diagnosticsOptions } = jsonDefaults
  jsonDefaults.setDiagnosticsOptions({
    ...diagnosticsOptions,
    // Settings, launch configurations and tasks may have them, as in VS Code.
    comments: 'warning',
    trailingCommas: 'warning',
    schemas: change(diagnosticsOptions.schemas ?? []),
  })
}
