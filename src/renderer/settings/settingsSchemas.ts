import { keybindingsFile } from '../../shared/files/userFiles.ts'
import { request } from '../platform/bridge/bridge.ts'
import { commands } from '../platform/commands.ts'
import { folderSettingsPath } from '../platform/editor/editorSettings.ts'
import { monaco, uriOf } from '../platform/editor/monaco/monaco.ts'
import { editorCommands } from '../platform/keymap/monacoCommands.ts'

/** URI of the text of the user's settings. */
export const settingsUri = 'tizona-settings:/settings.json'

/** URI of the text of a file in the user data folder. */
export const userFileUri = (file: string): string => `tizona-user:/${encodeURI(file)}`

/** The schema of `keybindings.json`: suggests the ids of all commands, and allows others. */
async function keybindingsSchema(): Promise<object> {
  const ids = [...commands.map(({ id }) => id), ...(await editorCommands()).map(({ id }) => id)]
  const command = {
    description: 'Id of a command. A leading "-" takes the keys from it.',
    anyOf: [{ enum: [...ids, ...ids.map((id) => `-${id}`)] }, { type: 'string' }],
  }
  return {
    type: 'array',
    items: {
      type: 'object',
      required: ['key', 'command'],
      defaultSnippets: [{ label: 'New shortcut', body: { key: '$1', command: '$2' } }],
      properties: {
        key: { type: 'string', description: 'Keys such as ctrl+alt+t, or two presses: ctrl+k ctrl+t.' },
        command,
        when: { type: 'string', description: 'Condition for commands of the editor, such as editorTextFocus.' },
        args: { description: 'Kept, but not used by Tizona.' },
      },
    },
  }
}

const oneOrMore = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }

/** The schema of snippet files, by language and for several languages. */
const snippetsSchema = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['body'],
    properties: {
      prefix: { ...oneOrMore, description: 'Words that suggest the snippet.' },
      body: { ...oneOrMore, description: 'Text, or its lines. $1 and ${2:name} are placeholders, $0 is the end.' },
      description: { ...oneOrMore, description: 'Text beside the suggestion.' },
      scope: { type: 'string', description: 'Ids of languages, separated by commas. Without it: all.' },
    },
  },
}

type JsonSchemas = NonNullable<typeof monaco.json.jsonDefaults.diagnosticsOptions.schemas>

function addSchemas(added: JsonSchemas): void {
  const { jsonDefaults } = monaco.json
  const { diagnosticsOptions } = jsonDefaults
  jsonDefaults.setDiagnosticsOptions({
    ...diagnosticsOptions,
    schemas: [...(diagnosticsOptions.schemas ?? []), ...added],
  })
}

let settingsRegistered = false
let userFilesRegistered = false

/** Registers the schemas of user and folder settings in Monaco, for completion, hovers and squiggles. */
export async function registerSettingsSchemas(): Promise<void> {
  if (settingsRegistered) return
  const { schema, folderSchema } = await request('settings.document', {})
  settingsRegistered = true
  addSchemas([
    { uri: 'tizona-schema:/settings', fileMatch: [settingsUri], schema },
    { uri: 'tizona-schema:/folder-settings', fileMatch: [uriOf(folderSettingsPath).toString()], schema: folderSchema },
  ])
}

/**
 * Registers the schemas of shortcuts and snippets. Not together with those of settings, which Monaco waits for: the
 * commands of the editor are known only after Monaco has loaded.
 */
export async function registerUserFileSchemas(): Promise<void> {
  if (userFilesRegistered) return
  const keybindings = await keybindingsSchema()
  userFilesRegistered = true
  addSchemas([
    { uri: 'tizona-schema:/keybindings', fileMatch: [userFileUri(keybindingsFile)], schema: keybindings },
    { uri: 'tizona-schema:/snippets', fileMatch: ['tizona-user:/snippets/*'], schema: snippetsSchema },
  ])
}
