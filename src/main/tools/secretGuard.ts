import { ToolError } from '../../shared/errors.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import { portWith } from '../workspace/editorPort.ts'
import type { ToolContext } from './common/toolDefinition.ts'

type Guarded = Pick<ToolContext, 'documents' | 'files' | 'search' | 'code'>
type GuardedWindow = Pick<ToolContext, 'editor' | 'languages'>

/**
 * Returns services that do not reveal secret files, except those that the user approved. This is the second check: the
 * user first approves what a tool declares in `reads`. Files that were not declared are refused here.
 * @param secret why a path is secret
 * @param approved real paths relative to the workspace; may grow until the services are used
 */
export function withoutSecrets(
  services: Guarded & Pick<ToolContext, 'workspace'>,
  secret: PlaceRules['secret'],
  approved: ReadonlySet<string>,
): Guarded {
  const { workspace, documents, files, search, code } = services
  const hidden = (relative: string): boolean => !approved.has(relative) && secret(relative) !== undefined

  /** @throws ToolError `approval_required` */
  async function check(path: string | undefined): Promise<void> {
    if (path === undefined) return
    const { relative } = await workspace.resolve(path, { missing: 'allow' })
    if (hidden(relative)) throw refusal(relative)
  }

  const isShown = ({ path }: { path: string }): boolean => !hidden(path)

  return {
    documents: overriding(documents, {
      // Checks the path that was actually opened, which cannot change afterwards.
      async read(path, signal) {
        const document = await documents.read(path, signal).catch(async (error: unknown) => {
          // Other errors could reveal the type or size of a secret file.
          await check(path)
          throw error
        })
        if (hidden(document.path)) throw refusal(document.path)
        return document
      },
      async readLines(path, range, signal) {
        await check(path)
        const lines = await documents.readLines(path, range, signal)
        if (hidden(lines.path)) throw refusal(lines.path)
        return lines
      },
    }),
    files: overriding(files, {
      async readBytes(path, limit, signal) {
        await check(path)
        return files.readBytes(path, limit, signal)
      },
    }),
    search: overriding(search, {
      text: (query, call) => search.text({ ...query, leaveOut: hidden }, call),
    }),
    code: overriding(code, {
      async search(query, signal) {
        await check(query.path)
        return (await code.search(query, signal)).filter(isShown)
      },
      async select(selector, signal) {
        await check(selector.id === undefined ? selector.path : selector.id.split('::')[0])
        return code.select(selector, signal)
      },
      async outline(path, signal) {
        await check(path)
        return code.outline(path, signal)
      },
      searchText: async (words, limit, signal) => (await code.searchText(words, limit, signal)).filter(isShown),
      passages: async (query, signal) => (await code.passages(query, signal)).filter(isShown),
    }),
  }
}

/**
 * Hides the text of secret files in reports of the window and the language servers: in the selection, and in problems,
 * which quote the text.
 * @param secret why a path is secret
 * @param approved as above
 */
export function windowWithoutSecrets(
  { editor, languages }: GuardedWindow,
  secret: PlaceRules['secret'],
  approved: ReadonlySet<string>,
): GuardedWindow {
  const hidden = (path: string): boolean => !approved.has(path) && secret(path) !== undefined
  const isShown = ({ path }: { path: string }): boolean => !hidden(path)
  return {
    editor: portWith(editor, {
      async 'editor.selection'(params, signal) {
        const selection = await editor.ask('editor.selection', params, signal)
        if (hidden(selection.path)) throw refusal(selection.path)
        return selection
      },
      async 'editor.problems'(params, signal) {
        const { problems } = await editor.ask('editor.problems', params, signal)
        return { problems: problems.filter(isShown) }
      },
    }),
    languages: overriding(languages, {
      state() {
        const { problems, ...rest } = languages.state()
        return { ...rest, problems: problems.filter(isShown) }
      },
    }),
  }
}

/**
 * Refuses to send a secret file to the model where no approval can be requested.
 * @throws ToolError `approval_required`, or the errors of resolving the path
 */
export async function refuseSecret(
  workspace: Pick<ToolContext['workspace'], 'resolve'>,
  secret: PlaceRules['secret'],
  path: string,
): Promise<void> {
  const { relative } = await workspace.resolve(path, { missing: 'allow' })
  const reason = secret(relative)
  if (reason !== undefined)
    throw new ToolError(
      'approval_required',
      `${relative} is a secret file. ${reason}. Its text was not sent to the model.`,
      'Edit it yourself, or ask in the chat: there you can approve that the model reads it.',
    )
}

/** Returns a service with some methods replaced. */
function overriding<Service extends object>(service: Service, methods: Partial<Service>): Service {
  return Object.assign(Object.create(service), methods)
}

function refusal(relative: string): ToolError {
  return new ToolError(
    'approval_required',
    `"${relative}" is a secret file. Its content is sent to the model only after the user approves a call that names it.`,
    'Continue without it, or read the file by its name, so that the user can decide.',
  )
}
