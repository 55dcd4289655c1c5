import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { toFailure } from '../../shared/errors.ts'
import { inEachFolder, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { Emit } from '../agent/conversation/transcript.ts'
import type { CodeIndex } from '../code/codeIndex.ts'
import { definitionFiles } from '../mcp/serverDefinitions.ts'
import type { Mcp } from '../mcp/mcpServers.ts'
import type { SourceControl } from '../git/view/sourceControl.ts'
import type { LocalHistory } from '../history/localHistory/localHistory.ts'
import type { LanguageServers } from '../lsp/languageServers.ts'
import type { FileNameSearch } from '../search/fileNameSearch.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Review } from '../review/reviewTypes.ts'
import { watchWorkspace, type WorkspaceWatcher } from '../workspace/watcher.ts'
import { windowOpeningTime } from '../base/windowOpening.ts'

interface WatchFolderDeps {
  workspace: Workspace
  fileNames: Pick<FileNameSearch, 'invalidate'>
  code: Pick<CodeIndex, 'filesChanged'>
  languages: Pick<LanguageServers, 'filesChanged'>
  mcp: Pick<Mcp, 'refresh' | 'startsFile'>
  repositories: Pick<SourceControl['repositories'], 'filesChanged'>
  review: Pick<Review, 'changedOnDisk'>
  localHistory: Pick<LocalHistory, 'changedOnDisk'>
  emit: Emit
  info(): Promise<WorkspaceInfo>
  /** Milliseconds before watching starts, because it reads the whole folder. Default: until the window has opened. */
  delay?: number
}

/**
 * Watches the open folder and forwards changes on disk to the window, the code index, quick open and the MCP servers.
 * @returns a function that stops watching
 */
export function watchFolder({
  workspace,
  fileNames,
  code,
  languages,
  mcp,
  repositories,
  review,
  localHistory,
  emit,
  info,
  delay = windowOpeningTime,
}: WatchFolderDeps): () => Promise<void> {
  const stopped = new AbortController()
  const warn = (message: string): void => emit('notice', { level: 'warning', message })
  const report = (error: unknown): void => {
    if (!stopped.signal.aborted) warn(toFailure(error).message)
  }
  const reportBranch = (): void => void info().then((now) => emit('workspace.changed', now), report)

  const start = (): WorkspaceWatcher =>
    watchWorkspace(workspace, {
      onChanges(changes, overflow) {
        fileNames.invalidate()
        code.filesChanged(
          changes.map((change) => change.path),
          overflow || changes.some(({ change }) => change !== 'changed'),
        )
        languages.filesChanged(changes)
        emit('files.changed', { changes, overflow })
        repositories.filesChanged(changes, overflow)
        review.changedOnDisk(overflow ? null : changes.map(({ path }) => path))
        localHistory.changedOnDisk(
          overflow ? null : changes.flatMap(({ path, change }) => (change === 'deleted' ? [] : [path])),
        )
        if (overflow || changes.some(({ path }) => isMcpDefinition(workspace, path) || mcp.startsFile(path)))
          mcp.refresh().catch(report)
      },
      onBranch: reportBranch,
      onProblem: warn,
    })

  // The watcher only reports changes to files that it has already seen, but the window may have opened a file earlier.
  function reportAll(): void {
    if (stopped.signal.aborted) return
    fileNames.invalidate()
    code.filesChanged([], true)
    emit('files.changed', { changes: [], overflow: true })
    repositories.filesChanged([], true)
    reportBranch()
  }

  let watcher: WorkspaceWatcher | undefined
  const timer = setTimeout(() => {
    watcher = start()
    watcher.ready.then(reportAll, report)
  }, delay)

  return async () => {
    stopped.abort()
    clearTimeout(timer)
    await watcher?.close()
  }
}

function isMcpDefinition(workspace: WorkspaceRoots, path: string): boolean {
  return ['.tizona', ...definitionFiles].some((file) => inEachFolder(workspace, file).includes(path))
}
