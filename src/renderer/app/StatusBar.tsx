import { useCurrentModel } from '../platform/conversation/currentModel.ts'
import { encodingTexts } from '../../shared/files/encodings.ts'
import { plural } from '../../shared/text/plural.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { modeTexts } from '../../shared/tools/modeTexts.ts'
import { useDocument } from '../platform/editor/documents/windowDocuments.ts'
import { activePath, useTabs } from '../platform/editor/tabsStore.ts'
import { useEditorStatus } from '../platform/editor/editorViews.ts'
import { useCompletionProblem } from '../completion/registerCompletion.ts'
import { useSameNameNote } from '../symbols/sameNameMatches.ts'
import { useBridgeStatus } from '../platform/bridge/bridge.ts'
import { useSettings, useWorkspace } from '../platform/appState.ts'
import { selectedStatus, useGit } from '../platform/git/gitStore.ts'
import { useNotices } from '../platform/notices.ts'
import { Icon } from '../ui/index.ts'
import { LanguageServerItem, ProblemsItem } from './LanguageStatus.tsx'
import { RemoteItem } from './RemoteBar.tsx'
import { StatusItem as Item } from './StatusItem.tsx'

/** Items for the active file: cursor position, encoding, line endings and language with its server. */
function FileItems({ path }: { path: string }) {
  const document = useDocument(path)
  const { cursor, selected, language } = useEditorStatus()
  if (document?.status !== 'ready') return null
  const { encoding, eol } = document.format
  const position = cursor
    ? `Ln ${cursor.line}, Col ${cursor.column}${selected ? ` (${selected.characters} selected)` : ''}`
    : ''
  return (
    <>
      {cursor && (
        <Item command="palette.line" label={`${position}. Go to line.`}>
          {`Ln ${cursor.line}, Col ${cursor.column}`}
          {selected && <span className="status-muted">{` (${selected.characters} selected)`}</span>}
        </Item>
      )}
      <Item
        command="edit.changeEncoding"
        className="status-detail"
        label={`Encoding: ${encodingTexts[encoding].title}. Select encoding.`}
      >
        {encodingTexts[encoding].title}
      </Item>
      <Item
        command="edit.changeEol"
        className="status-detail"
        label={`Line endings: ${eol === '\n' ? 'LF' : 'CRLF'}. Select line endings.`}
      >
        {eol === '\n' ? 'LF' : 'CRLF'}
      </Item>
      {language && (
        <Item
          command="edit.changeLanguage"
          className="status-detail"
          label={`Language: ${language}. Select language mode.`}
        >
          {language}
        </Item>
      )}
      <LanguageServerItem />
    </>
  )
}

function CompletionItem() {
  const completion = useSettings()?.completion
  const problem = useCompletionProblem((state) => state.problem)
  if (!completion) return null
  const { enabled } = completion
  const failing = enabled && problem !== null
  const label = failing
    ? `Inline completion failed: ${problem} Turn it off.`
    : enabled
      ? 'Inline completion is on. Turn it off.'
      : 'Inline completion is off. Turn it on.'
  return (
    <Item
      command="completion.toggle"
      label={label}
      className={failing ? 'status-warning' : enabled ? '' : 'status-muted'}
    >
      <Icon name={failing ? 'warning' : enabled ? 'sparkle' : 'circle-slash'} />
    </Item>
  )
}

function branchLabel(branch: string, detached: boolean, changed: boolean): string {
  if (detached)
    return changed
      ? `Detached HEAD at ${branch}*, changed. Switch branch.`
      : `Detached HEAD at ${branch}. Switch branch.`
  return changed ? `Branch ${branch}*, changed. Switch branch.` : `Branch ${branch}. Switch branch.`
}

/** Branch and sync state of the selected repository. */
function GitItems() {
  const workspace = useWorkspace()
  const status = useGit(selectedStatus)
  const running = useGit((state) => state.running.at(-1))
  // The folder's branch is known before the status.
  const branch = status ? (status.branch ?? status.head?.slice(0, 8)) : workspace?.branch
  if (branch === undefined) return null
  const detached = status !== null && status.branch === null
  const changed = status !== null && status.counts.staged + status.counts.changes + status.counts.merge > 0
  const { ahead = 0, behind = 0, name = '' } = status?.upstream ?? {}
  const progress = running?.progress
  return (
    <>
      <Item command="git.switchBranch" label={branchLabel(branch, detached, changed)} className="status-branch">
        <Icon name={detached ? 'git-commit' : 'git-branch'} />{' '}
        <span data-testid="branch">
          {branch}
          {changed && '*'}
        </span>
      </Item>
      {running ? (
        <span className="status-item status-text" title={progress?.text ?? running.label}>
          <Icon name="sync" spin /> <span role="status">{running.label}</span>
          {progress?.percent !== undefined && ` ${progress.percent}%`}
        </span>
      ) : (
        status?.upstream && (
          <Item
            command="git.sync"
            label={`${behind}↓ ${ahead}↑: ${plural(behind, 'commit')} to pull, ${ahead} to push. Sync with ${name}.`}
          >
            <Icon name="sync" />
            {behind + ahead > 0 && ` ${behind}↓ ${ahead}↑`}
          </Item>
        )
      )}
    </>
  )
}

/** The bar at the bottom of the window. */
export function StatusBar() {
  const workspace = useWorkspace()
  const settings = useSettings()
  const path = useTabs(activePath)
  const conversation = useChat((state) => state.info)
  const running = useChat((state) => state.running)
  const waiting = useChat((state) => state.approvals.length)
  const unread = useNotices((state) => state.unread)
  const note = useSameNameNote((state) => state.text)
  const connected = useBridgeStatus((status) => status.kind === 'connected')
  const mode = conversation?.mode ?? settings?.mode ?? 'safe'
  const model = useCurrentModel()
  return (
    <footer className="statusbar" data-region="status-bar" aria-label="Status">
      <div className="status-side">
        <RemoteItem />
        <GitItems />
        {workspace && <ProblemsItem />}
        {workspace?.restricted && (
          <Item
            command="trust.manage"
            label="Restricted: this folder is not trusted. Manage folder trust."
            className="status-warning"
          >
            <Icon name="shield" /> Restricted
          </Item>
        )}
        {!connected && (
          <span className="status-item status-text status-warning">
            <Icon name="debug-disconnect" /> Reconnecting
          </span>
        )}
        {note !== '' && (
          <span className="status-item status-text status-note" role="status" title={note}>
            <Icon name="info" /> <span>{note}</span>
          </span>
        )}
        {waiting > 0 && (
          <Item
            command="approval.focus"
            label={`${plural(waiting, 'approval')} pending. Show the first one.`}
            className="status-attention"
          >
            <Icon name="shield" />
            {` ${plural(waiting, 'approval')} pending`}
          </Item>
        )}
        {running && waiting === 0 && (
          <Item command="chat.focus" label="Working. Show the chat.">
            <Icon name="loading" spin /> Working
          </Item>
        )}
      </div>
      <div className="status-side">
        {path !== null && <FileItems path={path} />}
        {workspace && (
          <>
            <CompletionItem />
            {conversation?.agent === undefined && (
              <Item
                command="chat.pickModel"
                label={model ? `Model: ${model.model}. Select model.` : 'No model. Select model.'}
              >
                <Icon name="chip" /> <span className="status-model">{model?.model ?? 'No model'}</span>
              </Item>
            )}
            <Item
              command="chat.pickMode"
              label={`Mode: ${modeTexts[mode].label}. Select mode.`}
              className={mode === 'yolo' ? 'status-danger' : ''}
            >
              <Icon name={modeTexts[mode].icon} /> {modeTexts[mode].label}
            </Item>
          </>
        )}
        <Item command="notices.show" label={unread > 0 ? plural(unread, 'new notice') : 'Notices'}>
          <Icon name={unread > 0 ? 'bell-dot' : 'bell'} />
        </Item>
      </div>
    </footer>
  )
}
