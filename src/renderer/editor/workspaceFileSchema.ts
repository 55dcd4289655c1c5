import { workspaceFileExtension } from '../../shared/files/workspaceFolders.ts'
import { addJsonSchemas } from '../platform/editor/monaco/jsonSchemas.ts'

const text = (description: string) => ({ type: 'string', description })
const name = text('What the explorer shows, and the first part of each path in the folder.')

/** Schema of VS Code's `.code-workspace` files. Other keys of VS Code and of extensions are no error. */
const schema = {
  type: 'object',
  required: ['folders'],
  properties: {
    folders: {
      type: 'array',
      description: 'Folders of the workspace, in the order of the explorer.',
      maxItems: 100,
      items: {
        type: 'object',
        anyOf: [{ required: ['path'] }, { required: ['uri'] }],
        properties: {
          path: text('Path of a folder, absolute or relative to this file.'),
          uri: text('file: URI of a folder.'),
          name,
        },
        defaultSnippets: [{ label: '{ path }', body: { path: '$1' } }],
      },
    },
    settings: {
      type: 'object',
      description: 'Settings of VS Code. Tizona reads those of the editor and of files that have a counterpart.',
      properties: {
        'files.exclude': {
          type: 'object',
          description: 'Globs of files that the window does not show.',
          additionalProperties: { type: ['boolean', 'object'] },
        },
        'files.associations': {
          type: 'object',
          description: 'Language of files, by glob.',
          additionalProperties: { type: 'string' },
        },
      },
    },
    launch: {
      type: 'object',
      description: 'Launch configurations of VS Code. Tizona reads those in .vscode/launch.json of the folders.',
    },
    tasks: { type: 'object', description: 'Tasks of VS Code, which run in the first folder.' },
    extensions: { type: 'object', description: 'Extensions that VS Code recommends.' },
  },
}

/** Offers completion, hovers and validation in `.code-workspace` files. */
export function registerWorkspaceFileSchema(): void {
  addJsonSchemas([{ uri: 'tizona-schema:/workspace', fileMatch: [`**/*${workspaceFileExtension}`], schema }])
}
