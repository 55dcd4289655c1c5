import { keybindingsFile } from '../../shared/files/userFiles.ts'
import { request } from '../platform/bridge/bridge.ts'
import { commands } from '../platform/commands.ts'
import { folderSettingsPath } from '../platform/editor/editorSettings.ts'
import { addJsonSchemas } from '../platform/editor/monaco/jsonSchemas.ts'
import { uriOf } from '../platform/editor/monaco/monaco.ts'
import { editorCommands } from '../platform/keymap/monacoCommands.ts'

/** URI of the model with the user's settings. */
export const settingsUri = 'tizona-settings:/settings.json'

/** Returns the URI of the model of a file in the user data folder. */
export const userFileUri = (file: string): string => `tizona-user:/${encodeURI(file)}`

/** Schema of `keybindings.json`. Suggests all command ids but allows others. */
async function keybindingsSchema(): Promise<object> {
  const ids = [...commands.map(({ id }) => id), ...(await editorCommands()).map(({ id }) => id)]
  const command = {
    description: 'Id of a command. A leading "-" removes the keys from the command.',
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
        when: { type: 'string', description: 'When-clause for editor commands, such as editorTextFocus.' },
        args: { description: 'Ignored by Tizona.' },
      },
    },
  }
}

const oneOrMore = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }

/** Schema of snippet files for one or several languages. */
const snippetsSchema = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['body'],
    properties: {
      prefix: { ...oneOrMore, description: 'Words that trigger the snippet.' },
      body: { ...oneOrMore, description: 'Text, or its lines. $1 and ${2:name} are placeholders, $0 is the end.' },
      description: { ...oneOrMore, description: 'Text next to the suggestion.' },
      scope: { type: 'string', description: 'Language ids, separated by commas. Default: all languages.' },
    },
  },
}

let settingsRegistered = false
let userFilesRegistered = false

/** Registers the schemas of user and folder settings in Monaco, for completion, hovers and validation. */
export async function registerSettingsSchemas(): Promise<void> {
  if (settingsRegistered) return
  const { schema, folderSchema } = await request('settings.document', {})
  settingsRegistered = true
  addJsonSchemas([
    { uri: 'tizona-schema:/settings', fileMatch: [settingsUri], schema },
    { uri: 'tizona-schema:/folder-settings', fileMatch: [uriOf(folderSettingsPath).toString()], schema: folderSchema },
  ])
}

/**
 * Registers the schemas of shortcuts and snippets. Separate from those of settings, which Monaco waits for, because
 * editor commands are known only after Monaco has loaded.
 */
export async function registerUserFileSchemas(): Promise<void> {
  if (userFilesRegistered) return
  const keybindings = await keybindingsSchema()
  userFilesRegistered = true
  addJsonSchemas([
    { uri: 'tizona-schema:/keybindings', fileMatch: [userFileUri(keybindingsFile)], schema: keybindings },
    { uri: 'tizona-schema:/snippets', fileMatch: ['tizona-user:/snippets/*'], schema: snippetsSchema },
  ])
}
