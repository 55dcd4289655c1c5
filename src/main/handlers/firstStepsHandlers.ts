import { cp, lstat, mkdtemp, realpath, rename, rm, stat } from 'node:fs/promises'
import { homedir, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { ModelDownload } from '../../shared/models/firstSteps.ts'
import type { SourceControl } from '../git/view/sourceControl.ts'
import { ModelError } from '../model/modelClient.ts'
import type { ServerAccess } from '../model/transport/serverAccess.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import { pullModel } from '../model/setup/ollamaPull.ts'
import { checkModel } from '../model/setup/toolCallCheck.ts'
import type { Search } from '../search/search.ts'
import type { Workspace } from '../workspace/containment.ts'
import { readProjectFile } from '../tasks/projectFile.ts'
import { suggestedMessages, type FolderFacts, type SampleChange } from '../tasks/suggestedMessages.ts'
import type { FolderTrust } from '../settings/folderTrust.ts'
import type { Handlers } from '../core/coreContract.ts'

/** Services of the open folder that suggestions need. */
export interface FolderServices {
  workspace: Workspace
  search: Pick<Search, 'text' | 'tree'>
  sourceControl: Pick<SourceControl, 'status' | 'repositories'>
}

/** Milliseconds to search for a to-do comment. A suggestion is not worth a longer wait. */
const searchMs = 1500

/** Handles requests of the first steps: model downloads and checks, and suggestions for the open folder. */
export function createFirstStepsHandlers(deps: {
  endpoints: Pick<Endpoints, 'model' | 'get' | 'access' | 'list' | 'closed'>
  session(): FolderServices | undefined
  data: { folderTrust: Pick<FolderTrust, 'decide'> }
  /** `resources`: folder of the files that Tizona brings. */
  platform: { resources: string }
  onDownload(progress: ModelDownload): void
}): Pick<
  Handlers,
  'machine.get' | 'models.download' | 'models.cancelDownload' | 'models.check' | 'messages.suggest' | 'sample.create'
> {
  const { endpoints, session, data, platform, onDownload } = deps
  const downloads = new Map<string, AbortController>()
  const keyOf = (endpointId: string, model: string): string => JSON.stringify([endpointId, model])
  /** The running creation of the sample folder, which a second click also waits for. */
  let creation: Promise<string> | undefined

  return {
    'machine.get': () => ({ memory: totalmem(), platform: process.platform }),

    async 'models.download'({ endpointId, model }) {
      const key = keyOf(endpointId, model)
      if (downloads.has(key))
        throw new ToolError(
          'conflict',
          `${model} is already being downloaded.`,
          'Wait until the download has finished.',
        )
      const cancel = new AbortController()
      downloads.set(key, cancel)
      let last = { status: '', completed: 0, total: 0 }
      const report = (ended?: ModelDownload['ended']) =>
        onDownload({ endpointId, model, ...last, ...(ended && { ended }) })
      try {
        // The download outlives the window that started it, because a reload must not stop it.
        await asToolError(async () =>
          pullModel({
            ...(await ollamaAccess(endpoints, endpointId, model)),
            model,
            signal: AbortSignal.any([cancel.signal, endpoints.closed]),
            onProgress(progress) {
              last = progress
              report()
            },
          }),
        )
        await endpoints.list({ probe: true }, cancel.signal)
        report({})
      } catch (error) {
        if (!cancel.signal.aborted) {
          const { message, next } = toFailure(error)
          report({ failure: `${message} ${next}`.trim() })
          throw error
        }
        report({})
        throw new ToolError('cancelled', `The download of ${model} was cancelled.`, 'Download it again to resume.')
      } finally {
        downloads.delete(key)
      }
    },

    'models.cancelDownload': ({ endpointId, model }) => downloads.get(keyOf(endpointId, model))?.abort(),

    'models.check': ({ endpointId, model }, signal) =>
      asToolError(async () => checkModel(await endpoints.model({ endpointId, model }, signal), model, signal)),

    async 'messages.suggest'(_, signal) {
      const services = session()
      if (!services) return []
      const facts = await folderFacts(services, signal)
      return suggestedMessages({ ...facts, sample: await sampleChanges(services.workspace, facts.packageJson) })
    },

    async 'sample.create'() {
      creation ??= createSample(platform.resources, data.folderTrust).finally(() => (creation = undefined))
      return creation
    },
  }
}

const sampleFolder = (): string => join(homedir(), 'tizona-sample')

/**
 * Copies the sample unless its folder exists, and trusts only what it copied.
 * @returns the folder
 * @throws ToolError `io_error`
 */
async function createSample(resources: string, trust: Pick<FolderTrust, 'decide'>): Promise<string> {
  const folder = sampleFolder()
  if (await copySample(join(resources, 'tour', 'workspace'), folder)) await trust.decide(await realpath(folder), true)
  return folder
}

/** @returns whether the sample was copied; false if there is a folder of this name. @throws ToolError `io_error` */
async function copySample(source: string, folder: string): Promise<boolean> {
  const isFolder = async () => (await stat(folder).catch(() => undefined))?.isDirectory() === true
  if (await isFolder()) return false
  const obstacle = await lstat(folder).catch(() => undefined)
  if (obstacle)
    throw new ToolError(
      'io_error',
      obstacle.isSymbolicLink()
        ? `The sample folder could not be created: ${folder} is a link to a folder that does not exist.`
        : `The sample folder could not be created: ${folder} is a file.`,
      'Delete or rename it, or open a folder of your own instead.',
    )
  let beside: string | undefined
  try {
    // Another window must not open a part of it, and a crash must not leave one.
    beside = await mkdtemp(join(dirname(folder), '.tizona-sample-'))
    const copy = join(beside, 'sample')
    await cp(source, copy, { recursive: true })
    await rename(copy, folder)
    return true
  } catch (error) {
    // Another window has created it meanwhile.
    if (await isFolder()) return false
    throw new ToolError(
      'io_error',
      `The sample folder ${folder} could not be created: ${error instanceof Error ? error.message : String(error)}`,
      'Open a folder of your own instead.',
    )
  } finally {
    if (beside !== undefined) await rm(beside, { recursive: true, force: true })
  }
}

/** Returns the changes that are still to be made if the sample is open. */
async function sampleChanges(workspace: Workspace, packageJson: string | undefined): Promise<SampleChange[]> {
  if (workspace.root !== (await realpath(sampleFolder()).catch(() => undefined))) return []
  const read = (path: string) => readProjectFile(workspace, path)
  const [prices, tests] = await Promise.all([read('src/prices.js'), read('test/prices.test.js')])
  const isFaulty = tests !== null && prices?.includes('return cents - percent') === true
  return [
    ...(packageJson?.includes('"corner-shop"') ? ['rename' as const] : []),
    ...(isFaulty ? ['correct' as const] : []),
  ]
}

/** Returns how to reach an Ollama server. @throws ModelError `bad_request` for any other server */
function ollamaAccess(
  { get, access }: Pick<Endpoints, 'get' | 'access'>,
  endpointId: string,
  model: string,
): Promise<ServerAccess> {
  const endpoint = get(endpointId)
  if (endpoint && endpoint.kind !== 'ollama')
    throw new ModelError(
      'bad_request',
      `Tizona cannot download models on ${endpoint.name}.`,
      "Use the server's own tools to download the model.",
    )
  return access({ endpointId, model })
}

/** Rethrows a model server's failure, with its hint, for the window. */
async function asToolError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ModelError) throw new ToolError('io_error', error.message, error.hint)
    throw error
  }
}

async function folderFacts(
  { workspace, search, sourceControl }: FolderServices,
  signal: AbortSignal,
): Promise<FolderFacts> {
  const [tree, todo, packageJson] = await Promise.all([
    search.tree({ depth: 1, skip: new Set() }, { signal }),
    // A comment that starts with the word, in ripgrep's syntax.
    search.text(
      { pattern: String.raw`(//|#|/\*|--)\s*(TODO|FIXME)\b`, maxResults: 1, timeoutMs: searchMs },
      { signal },
    ),
    readProjectFile(workspace, 'package.json'),
  ])
  const entries = tree.root.nodes.map(({ name, type }) => (type === 'directory' ? `${name}/` : name))
  const [first] = todo.matches
  return {
    entries,
    changes: await countChanges(sourceControl),
    ...(packageJson !== null && { packageJson }),
    ...(first && { todo: { path: first.path, line: first.line } }),
  }
}

/** Counts the uncommitted changes in the repository that contains the folder; 0 without one. */
async function countChanges({ repositories, status }: FolderServices['sourceControl']): Promise<number> {
  const own = (await repositories.list(false)).find(({ folder }) => folder === '.')
  if (!own || own.kind === 'bare') return 0
  const { counts } = await status(own.id, false)
  return counts.merge + counts.staged + counts.changes + counts.untracked
}
