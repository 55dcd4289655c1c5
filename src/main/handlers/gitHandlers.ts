import type { ModelChoice } from '../../shared/agent/conversation.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import { gitActions, type GitAction, type GitRunningAction } from '../../shared/git/git.ts'
import type { AgentDeps } from '../agent/agentDeps.ts'
import { draftCommitMessage, draftFailure } from '../agent/commitDraft.ts'
import { cloneRepository } from '../git/view/cloning.ts'
import type { Credentials } from '../git/view/gitCredentials.ts'
import type { Operations } from '../git/view/operations.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import type { Handlers } from '../core/coreContract.ts'
import type { SessionBranches } from '../core/sessionBranches.ts'

type GitRequestName = Extract<keyof Handlers, `git.${string}`>
type GitSession = Pick<WorkspaceSession, 'sourceControl'>

interface GitHandlerDeps {
  /** @throws ToolError no_workspace */
  current(): GitSession
  session(): GitSession | undefined
  /** Actions that do not belong to a repository, such as cloning on the welcome page. */
  operations: Operations
  credentials: Credentials
  /** Returns the session that works on a branch of a repository, whose commits nobody has checked yet. */
  sessionOf(repository: string, branch: string): Promise<string | undefined>
  mergeSession: SessionBranches['merge']
  /** Called when an action has ended. */
  onEnded(operation: string): void
  model: AgentDeps['model']
  /** Returns a conversation's model, or the default one. @throws ToolError if there is none */
  modelOf(conversation: string | undefined): ModelChoice
}

/** Handles requests of the git view. */
export function createGitHandlers(deps: GitHandlerDeps): Pick<Handlers, GitRequestName> {
  const { current, session, operations, credentials } = deps
  const git = () => current().sourceControl
  const latestLog = onlyLatest()
  const latestComparison = onlyLatest()
  const running = createRunningGitActions(deps.onEnded)
  return running.follow({
    'git.repositories': ({ again }) => git().repositories.list(again),
    'git.initialize': ({ folder }) => git().initialize(folder),
    'git.status': ({ repository, refresh }) => git().status(repository, refresh),
    'git.stage': ({ repository, operation, paths }) => git().stage(repository, paths, operation),
    'git.unstage': ({ repository, operation, paths }) => git().unstage(repository, paths, operation),
    'git.commit': ({ repository, operation, ...options }) => git().commit(repository, operation, options),
    'git.setIdentity': ({ repository, ...identity }) => git().setIdentity(repository, identity),
    'git.draftMessage': (params) => draftMessage(deps, params),
    'git.discard': ({ repository, operation, paths, group }) => git().discard(repository, paths, group, operation),
    'git.undoDiscard': ({ repository, operation, backup, only }) =>
      git().undoDiscard(repository, backup, only, operation),
    'git.applyLines': ({ repository, operation, path, action, changes }) =>
      git().applyLines(repository, path, action, changes, operation),
    'git.fileAt': ({ repository, path, at }, signal) => git().fileAt(repository, path, at, signal),
    'git.resolve': ({ repository, operation, path, take }) => git().resolve(repository, path, take, operation),
    'git.unresolve': ({ repository, operation, paths }) => git().unresolve(repository, paths, operation),
    'git.operation': ({ repository, operation, step }) => git().step(repository, operation, step),
    'git.references': ({ repository }) => git().references(repository),
    'git.createBranch': ({ repository, operation, ...options }) => git().createBranch(repository, options, operation),
    'git.switch': ({ repository, operation, ...options }) => git().switchTo(repository, operation, options),
    'git.deleteBranch': ({ repository, operation, name, force }) =>
      git().deleteBranch(repository, name, force, operation),
    'git.renameBranch': ({ repository, operation, ...options }) => git().renameBranch(repository, options, operation),
    'git.merge': async ({ repository, operation, branch, session, allowProtected }) => {
      const id = session ?? (await deps.sessionOf(repository, branch))
      return id === undefined
        ? git().merge(repository, operation, branch)
        : deps.mergeSession(id, { operation, allowProtected })
    },
    'git.applyCommit': ({ repository, operation, ...options }) => git().applyCommit(repository, operation, options),
    'git.createTag': ({ repository, operation, ...options }) => git().createTag(repository, options, operation),
    'git.deleteTag': ({ repository, operation, name }) => git().deleteTag(repository, name, operation),
    'git.stashes': ({ repository }) => git().stashes(repository),
    'git.stash': ({ repository, operation, ...options }) => git().stash(repository, operation, options),
    'git.applyStash': ({ repository, operation, hash, pop }) => git().applyStash(repository, operation, hash, pop),
    'git.dropStash': ({ repository, operation, hash }) => git().dropStash(repository, hash, operation),
    'git.restoreStash': ({ repository, operation, hash, message }) =>
      git().restoreStash(repository, hash, message, operation),
    'git.fetch': ({ repository, operation, ...options }) => git().fetch(repository, operation, options),
    'git.pull': ({ repository, operation, strategy }) => git().pull(repository, operation, strategy),
    'git.push': ({ repository, operation, ...options }) => git().push(repository, operation, options),
    'git.sync': ({ repository, operation }) => git().sync(repository, operation),
    'git.clone': async ({ operation, ...request }) => ({
      path: await cloneRepository(operations, operation, request),
    }),
    'git.log': ({ repository, ...query }, signal) =>
      latestLog(signal, (latest) => git().log(repository, query, latest)),
    'git.fileHistory': ({ repository, path, ...page }, signal) =>
      latestLog(signal, (latest) => git().fileHistory(repository, path, page, latest)),
    'git.commitDetails': ({ repository, commit }, signal) => git().commitDetails(repository, commit, signal),
    'git.compare': ({ repository, from, to }, signal) =>
      latestComparison(signal, (latest) => git().compare(repository, from, to, latest)),
    'git.blame': ({ repository, path }, signal) => git().blame(repository, path, signal),
    'git.lock': ({ repository }) => git().lock(repository),
    'git.removeLock': ({ repository }) => git().removeLock(repository),
    'git.credentialRequests': () => credentials.pending(),
    'git.answerCredential': ({ id, answer }) => credentials.answer(id, answer),
    'git.running': running.list,
    'git.cancel'({ operation }) {
      operations.cancel(operation)
      session()?.sourceControl.cancel(operation)
    },
  })
}

/**
 * Returns a function that cancels the previous read when the next one starts, because the window only shows the latest.
 */
function onlyLatest(): <T>(signal: AbortSignal, read: (signal: AbortSignal) => Promise<T>) => Promise<T> {
  let latest = new AbortController()
  return (signal, read) => {
    latest.abort()
    latest = new AbortController()
    return read(AbortSignal.any([signal, latest.signal]))
  }
}

/** Number of recent subjects that show the project's style. */
const recentCommits = 10

/**
 * Drafts a message from staged changes, or from all changes if none is staged. The diff excludes secret files and
 * everything outside the folder.
 */
async function draftMessage(
  { current, operations, model, modelOf }: GitHandlerDeps,
  { repository, operation, conversation }: { repository: string; operation: string; conversation?: string | undefined },
): Promise<string> {
  const { sourceControl } = current()
  const choice = modelOf(conversation)
  return operations.run(operation, async ({ signal }) => {
    const staged = await sourceControl.diff(repository, { staged: true }, signal)
    const { text, files, secret } = staged.text === '' ? await sourceControl.diff(repository, {}, signal) : staged
    if (text === '' && secret.length === 0)
      throw new ToolError('no_change', 'There are no changes to describe.', 'Stage files first.')
    const { commits } = await sourceControl.log(repository, { all: false, skip: 0, limit: recentCommits }, signal)
    const recent = commits.map(({ subject }) => subject)
    try {
      return await draftCommitMessage(model, choice, { diff: text, files, recent }, signal)
    } catch (error) {
      throw draftFailure(error)
    }
  })
}

type Action = (params: { operation: string; repository?: string | undefined }, signal: AbortSignal) => unknown

/** The user's running actions, so that a window that connects can show and cancel them. */
interface RunningGitActions {
  /** Returns the running actions and, once, the finished ones whose result no window received. */
  list(): GitRunningAction[]
  /** Returns handlers that are listed while they run. */
  follow<H extends Pick<Handlers, GitAction>>(handlers: H): H
}

/** Maximum number of results kept for the next window. */
const maxUnreported = 20

function createRunningGitActions(onEnded: (operation: string) => void): RunningGitActions {
  const running = new Map<string, GitRunningAction>()
  let unreported: GitRunningAction[] = []
  return {
    list() {
      const ended = unreported
      unreported = []
      return [...running.values(), ...ended]
    },
    follow(handlers) {
      const followed = gitActions.map((action) => {
        // All these requests have an operation, which a test checks.
        const handle = handlers[action] as Action
        const run: Action = async (params, signal) => {
          const { operation, repository = null } = params
          // The operations refuse a second action with the same id.
          if (running.has(operation)) return handle(params, signal)
          running.set(operation, { operation, repository, action })
          const report = (ended: GitRunningAction['ended'] = {}) => {
            if (signal.aborted)
              unreported = [...unreported, { operation, repository, action, ended }].slice(-maxUnreported)
          }
          try {
            const result = await handle(params, signal)
            report()
            return result
          } catch (error) {
            report({ failure: toFailure(error) })
            throw error
          } finally {
            running.delete(operation)
            onEnded(operation)
          }
        }
        return [action, run]
      })
      return { ...handlers, ...Object.fromEntries(followed) }
    },
  }
}
