import { join } from 'node:path'
import type { Agent } from '../agent/agent.ts'
import type { AuditWriter } from '../audit/auditLog.ts'
import type { Gate } from '../approval/gate.ts'
import type { CleanUp } from '../history/cleanUp/cleanUp.ts'
import type { Images } from '../history/images.ts'
import type { InlineEdits } from '../inlineEdit/inlineEdits.ts'
import { createLayouts } from '../history/layouts.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import type { Platform } from '../core/platform.ts'
import type { ModelChecks } from '../modelCheck/modelChecks.ts'
import { readSnippetFolder } from '../settings/snippetFiles.ts'
import type { UserData } from '../core/userData.ts'
import type { WorkspaceSwitcher } from '../workspaceServices/workspaceSwitcher.ts'
import { createAppHandlers } from './appHandlers.ts'
import { createApprovalHandlers, type ExplainLine } from './approvalHandlers.ts'
import { createCodeHandlers } from './codeHandlers.ts'
import { createCompletionHandlers, type CompletionHandlerDeps } from './completionHandlers.ts'
import { createConversationHandlers } from './conversationHandlers.ts'
import { createDiagnosticsHandlers } from './diagnosticsHandlers.ts'
import { createFileHandlers } from './fileHandlers.ts'
import { createFormattingHandlers } from './formattingHandlers.ts'
import { createFirstStepsHandlers } from './firstStepsHandlers.ts'
import { createGitHandlers } from './gitHandlers.ts'
import type { Handlers } from './handlers.ts'
import { createInlineEditHandlers } from './inlineEditHandlers.ts'
import { createJobHandlers } from './jobHandlers.ts'
import { createLanguageHandlers } from './languageHandlers.ts'
import { createLinkHandlers } from './linkHandlers.ts'
import { createMcpHandlers } from './mcpHandlers.ts'
import type { MessageCollector } from './messageCollector.ts'
import { createModelCheckHandlers } from './modelCheckHandlers.ts'
import { createPromptHandlers } from './promptHandlers.ts'
import { createRenameHandlers } from './renameHandlers.ts'
import { createRestoreHandlers } from './restoreHandlers.ts'
import { createReviewHandlers } from './reviewHandlers.ts'
import { createSearchHandlers } from './searchHandlers.ts'
import { createSettingsHandlers } from './settingsHandlers.ts'
import { createStorageHandlers } from './storageHandlers.ts'
import { createTaskHandlers } from './taskHandlers.ts'
import { createTrustHandlers } from './trustHandlers.ts'
import type { ToolHandlers } from './toolHandlers.ts'
import { reportUserChanges } from './userChanges.ts'

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
  git: Pick<Parameters<typeof createGitHandlers>[0], 'operations' | 'credentials' | 'onEnded' | 'model' | 'modelOf'>
  cleanUp: CleanUp
  collectMessage: MessageCollector
  toolHandlers: ToolHandlers['handlers']
  tourHandlers: Pick<Handlers, 'tour.start'>
  modelChecks: ModelChecks
  onDownload: Parameters<typeof createFirstStepsHandlers>[0]['onDownload']
}

/** Joins the handlers of every request. */
export function createHandlers({
  platform,
  data: { db, settings, keybindings, userFiles, themes, secrets, recents },
  workspaces: { session, current, open, close },
  endpoints,
  gate,
  explain,
  audit,
  agent,
  inlineEdits,
  completion,
  images,
  git,
  cleanUp,
  collectMessage,
  toolHandlers,
  tourHandlers,
  modelChecks,
  onDownload,
}: HandlerDeps): Handlers {
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
    }),
    ...createFileHandlers(() => session() ?? null, platform),
    ...createFormattingHandlers(current),
    ...createSearchHandlers(current),
    ...createCodeHandlers(current),
    ...createLinkHandlers(current),
    ...createRenameHandlers(current),
    ...createInlineEditHandlers(inlineEdits, () => current().code),
    ...createCompletionHandlers(completion),
    ...createDiagnosticsHandlers({ platform, settings: settings.get }),
    'snippets.list': async () => [
      ...(await readSnippetFolder(join(platform.userData, 'snippets'))),
      ...((await session()?.snippets()) ?? []),
    ],
    'userFiles.snippets': () => userFiles.snippets(),
    'userFiles.read': ({ file }) => userFiles.read(file),
    'userFiles.write': ({ file, text }) => userFiles.write(file, text),
    'themes.list': () => themes.list(),
    'themes.add': ({ name, text, included }) => themes.add(name, text, included),
    'themes.addPackage': ({ name, data }) => themes.addPackage(name, new Uint8Array(Buffer.from(data, 'base64'))),
    'themes.remove': ({ id }) => themes.remove(id),
    'keybindings.set': async ({ bindings }) => void (await keybindings.set(bindings)),
    ...createSettingsHandlers({
      pickFile: platform.pickFile,
      settings,
      secrets,
      endpoints,
      readFolderSettings: async () => session()?.folderSettings() ?? null,
      changeFolderSettings: (change) => current().changeFolderSettings(change),
    }),
    ...createFirstStepsHandlers({ endpoints, session, onDownload }),
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
    'audit.read': () => audit.read(),
    ...createApprovalHandlers(gate, explain),
    ...createGitHandlers({ ...git, current, session }),
    ...createTaskHandlers(() => current().workspace),
    ...createJobHandlers(() => current().jobs),
    ...createLanguageHandlers(session),
    ...toolHandlers,
    ...tourHandlers,
    ...createModelCheckHandlers(modelChecks),
  }
  return reportUserChanges(handlers, () => session()?.review)
}
