import { createUserFileHandlers } from './userFileHandlers.ts'
import type { RequestName } from '../../shared/bridge/protocol.ts'
import type { Agent } from '../agent/agent.ts'
import type { Gate } from '../approval/gate.ts'
import type { AuditWriter } from '../audit/auditLog.ts'
import type { Platform } from '../appServices/platform.ts'
import type { UserData } from '../appServices/userData.ts'
import type { CleanUp } from '../history/cleanUp/cleanUp.ts'
import type { Images } from '../history/images.ts'
import { createLayouts } from '../history/layouts.ts'
import type { InlineEdits } from '../inlineEdit/inlineEdits.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import type { Review } from '../review/reviewTypes.ts'
import type { WorkspaceSwitcher } from '../workspaceServices/workspaceSwitcher.ts'
import type { SessionOverview } from '../core/sessionOverview.ts'
import type { Tries } from '../core/tries.ts'
import type { WorktreeSessions } from '../core/worktreeSessions.ts'
import { createAppHandlers, createStorageHandlers } from './appHandlers.ts'
import {
  createApprovalHandlers,
  type ExplainLine,
  createHookHandlers,
  createTrustHandlers,
} from './approvalHandlers.ts'
import { createCodeHandlers } from './codeHandlers.ts'
import { createCompletionHandlers, type CompletionHandlerDeps, createInlineEditHandlers } from './completionHandlers.ts'
import { createConversationHandlers, createPromptHandlers, createRestoreHandlers } from './conversationHandlers.ts'
import { createDebugHandlers } from './debugHandlers.ts'
import { createDiagnosticsHandlers } from './diagnosticsHandlers.ts'
import { createExtensionHandlers, createPluginHandlers } from './extensionHandlers.ts'
import { createFileHandlers, createLocalHistoryHandlers } from './fileHandlers.ts'
import { createFirstStepsHandlers } from './firstStepsHandlers.ts'
import { createGitHandlers } from './gitHandlers.ts'
import type { Handlers } from '../core/coreContract.ts'
import { createJobHandlers } from './jobHandlers.ts'
import { createFormattingHandlers, createLanguageHandlers, createRenameHandlers } from './languageHandlers.ts'
import { createLinkHandlers } from './linkHandlers.ts'
import { createMcpHandlers } from './mcpHandlers.ts'
import type { MessageCollector } from './messageCollector.ts'
import { createNotebookHandlers } from './notebookHandlers.ts'
import { createPreviewHandlers } from './previewHandlers.ts'
import { createRemoteHandlers } from './remoteHandlers.ts'
import { createReviewHandlers } from './reviewHandlers.ts'
import { createSearchHandlers } from './searchHandlers.ts'
import { createOverviewHandlers, createSessionHandlers } from './sessionHandlers.ts'
import { createSettingsHandlers } from './settingsHandlers.ts'
import { createTaskHandlers } from './taskHandlers.ts'
import type { ToolHandlers } from './toolHandlers.ts'

interface HandlerDeps {
  platform: Platform
  data: UserData
  workspaces: WorkspaceSwitcher
  endpoints: Endpoints
  gate: Gate
  explain: ExplainLine
  audit: AuditWriter
  agent: Agent
  inlineEdits: InlineEdits
  completion: CompletionHandlerDeps
  images: Images
  sessions: WorktreeSessions
  overview: SessionOverview
  tries: Tries
  git: Pick<Parameters<typeof createGitHandlers>[0], 'operations' | 'credentials' | 'onEnded' | 'model' | 'modelOf'>
  cleanUp: CleanUp
  collectMessage: MessageCollector
  toolHandlers: ToolHandlers['handlers']
  tourHandlers: Pick<Handlers, 'tour.start'>
  modelCheckHandlers: Pick<Handlers, Extract<RequestName, `modelCheck.${string}`>>
  /** Called with what an attempt to connect to another machine does. */
  onConnecting: Parameters<typeof createRemoteHandlers>[0]['onProgress']
  onDownload: Parameters<typeof createFirstStepsHandlers>[0]['onDownload']
  /** Whether a turn or a command runs, or a call waits for approval. */
  isWorking(): boolean
}

/** Combines the handlers of all requests. */
export function createHandlers({
  platform,
  data,
  workspaces: { session, current, jobs, open, close, changeFolders },
  endpoints,
  gate,
  explain,
  audit,
  agent,
  inlineEdits,
  completion,
  images,
  sessions,
  tries,
  overview,
  git,
  cleanUp,
  collectMessage,
  toolHandlers,
  tourHandlers,
  modelCheckHandlers,
  onConnecting,
  onDownload,
  isWorking,
}: HandlerDeps): Handlers {
  const { db, settings, keybindings, secrets, recents } = data
  const handlers: Handlers = {
    ...createAppHandlers({
      platform,
      agent,
      gate,
      recents,
      session,
      settings: settings.get,
      keybindings: keybindings.get,
      layouts: createLayouts(db),
      openWorkspace: open,
      closeWorkspace: close,
      changeFolders,
      isWorking,
    }),
    ...createRemoteHandlers({ platform, credentials: git.credentials, onProgress: onConnecting }),
    ...createFileHandlers(() => session() ?? null, platform),
    ...createLocalHistoryHandlers(current),
    ...createFormattingHandlers(current),
    ...createSearchHandlers(current),
    ...createCodeHandlers(current),
    ...createLinkHandlers(current),
    ...createRenameHandlers(current),
    ...createInlineEditHandlers(inlineEdits, () => current().code),
    ...createCompletionHandlers(completion),
    ...createDiagnosticsHandlers({ platform, settings: settings.get }),
    ...createUserFileHandlers(data, async () => (await session()?.snippets()) ?? [], platform.userData),
    ...createExtensionHandlers(data),
    ...createPluginHandlers(data, { session, current }),
    ...createSettingsHandlers({
      pickFile: platform.pickFile,
      settings,
      secrets,
      endpoints,
      readFolderSettings: async () => session()?.folderSettings() ?? null,
      readVsCodeSettings: async () => session()?.vsCodeSettings() ?? {},
      changeFolderSettings: (change) => current().changeFolderSettings(change),
    }),
    ...createFirstStepsHandlers({ endpoints, session, data, platform, onDownload }),
    ...createStorageHandlers({ db, userData: platform.userData, cleanUp }),
    ...createMcpHandlers({ settings, secrets, session, platform }),
    ...createRestoreHandlers(agent, current),
    ...createReviewHandlers({
      agent,
      review: () => current().review,
      readText: (path) =>
        current()
          .documents.read(path)
          .then(
            ({ text }) => text,
            () => null,
          ),
    }),
    ...createConversationHandlers(agent, collectMessage, settings.applied),
    ...createPromptHandlers(images, () => current().instructionDeps),
    ...createTrustHandlers(current),
    ...createHookHandlers(session),
    'audit.read': () => audit.read(),
    ...createApprovalHandlers(overview.decide, explain),
    ...createGitHandlers({ ...git, current, session, sessionOf: sessions.ofBranch, mergeSession: sessions.merge }),
    ...createSessionHandlers(sessions, () => current().workspace, platform, tries),
    ...createOverviewHandlers(overview, { platform, session, open }),
    ...createTaskHandlers(current),
    ...createDebugHandlers(() => current().debug),
    ...createNotebookHandlers(() => current().notebooks),
    ...createPreviewHandlers(current, session),
    ...createJobHandlers(jobs, () => current().workspace),
    ...createLanguageHandlers(session),
    ...toolHandlers,
    ...tourHandlers,
    ...modelCheckHandlers,
  }
  return reportUserChanges(handlers, () => session()?.review)
}

/** Requests by which the user changes workspace files. Saves report themselves. */
const changingRequests = [
  'files.create',
  'files.move',
  'files.copy',
  'files.finishUpload',
  'files.delete',
  'files.trash',
  'files.restoreDeleted',
  'git.discard',
  'git.undoDiscard',
  'git.applyLines',
  'git.resolve',
  'git.unresolve',
  'git.operation',
  'git.createBranch',
  'git.switch',
  'git.merge',
  'git.applyCommit',
  'git.stash',
  'git.applyStash',
  'git.restoreStash',
  'git.pull',
  'git.sync',
] as const satisfies readonly RequestName[]

/** Reports the user's file changes by request to the review, so that they are not attributed to the agent. */
function reportUserChanges(handlers: Handlers, review: () => Pick<Review, 'changing'> | undefined): Handlers {
  const reported = changingRequests.map((name) => {
    // One type for the handlers of all these requests.
    const handler = handlers[name] as (params: unknown, signal: AbortSignal) => unknown
    const changing = async (params: unknown, signal: AbortSignal): Promise<unknown> => {
      const ended = review()?.changing()
      try {
        return await handler(params, signal)
      } finally {
        ended?.()
      }
    }
    return [name, changing]
  })
  // Each handler was replaced by one with the same type.
  return { ...handlers, ...(Object.fromEntries(reported) as Partial<Handlers>) }
}
