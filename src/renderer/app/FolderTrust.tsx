import { pluralNoun } from '../../shared/text/plural.ts'
import type { TrustEffect, TrustEffects } from '../../shared/files/folderTrust.ts'
import { foldersOf } from '../../shared/files/workspaceFolders.ts'
import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { displayPath, useWorkspace } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { closeFolderReview, decideFolderTrust, useFolderTrust } from '../platform/folderTrust.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Dialog, Icon } from '../ui/index.ts'
import './folderTrust.css'

/** Bar shown until the user has decided about a folder. */
export function FolderTrustBanner() {
  const workspace = useWorkspace()
  if (!workspace?.restricted || workspace.restricted.decided) return null
  return (
    <div className="trust-banner" role="region" aria-label="Folder trust">
      <Icon name="shield" />
      <span>{textsOf(workspace).banner}</span>
      <Button size="small" onClick={() => runCommand('trust.manage')}>
        Review…
      </Button>
    </div>
  )
}

const folderTexts = {
  banner:
    'This folder is restricted. The agent can read and edit files, but commands, language servers, instructions and MCP servers in the folder are off.',
  trusted: 'This folder is trusted',
  question: 'Trust this folder?',
  restrict: 'Restrict folder',
  trust: 'Trust folder',
  advice:
    'Trust a folder only if you know where its files come from. In a trusted folder the agent may run commands, subject to the mode, and the following is on:',
  nothing: 'The folder has no instructions, rules, skills, prompts, MCP servers or hooks.',
}
const workspaceTexts: typeof folderTexts = {
  banner:
    'This workspace is restricted. The agent can read and edit files, but commands, language servers, instructions and MCP servers in its folders are off.',
  trusted: 'This workspace is trusted',
  question: 'Trust this workspace?',
  restrict: 'Restrict workspace',
  trust: 'Trust workspace',
  advice:
    'Trust these folders only if you know where their files come from. In a trusted workspace the agent may run commands, subject to the mode, and the following is on:',
  nothing: 'The folders have no instructions, rules, skills, prompts, MCP servers or hooks.',
}
const textsOf = ({ multiRoot }: WorkspaceInfo): typeof folderTexts => (multiRoot ? workspaceTexts : folderTexts)

const kindTexts: Readonly<Record<TrustEffect['kind'], { icon: string; label: string }>> = {
  server: { icon: 'server-process', label: 'MCP server' },
  hook: { icon: 'zap', label: 'Hook' },
  instructions: { icon: 'book', label: 'Instruction file' },
  rule: { icon: 'law', label: 'Rule' },
  skill: { icon: 'lightbulb', label: 'Skill' },
  prompt: { icon: 'comment', label: 'Prompt' },
}
const kinds = Object.keys(kindTexts) as TrustEffect['kind'][]

/** Dialog to trust or restrict the open folder. Lists what trust turns on. */
export function FolderTrustDialog() {
  const reviewing = useFolderTrust((state) => state.reviewing)
  const workspace = useWorkspace()
  if (!reviewing || !workspace) return null
  const { parent } = reviewing
  const texts = textsOf(workspace)
  const trusted = workspace.restricted === undefined
  const decide = (choice: Parameters<typeof decideFolderTrust>[0]) => () =>
    attempt(() => decideFolderTrust(choice), 'Your decision could not be saved')
  return (
    <Dialog
      title={trusted ? texts.trusted : texts.question}
      width={620}
      onClose={closeFolderReview}
      footer={
        trusted ? (
          <>
            <Button onClick={decide('restricted')}>{texts.restrict}</Button>
            <Button variant="primary" data-autofocus onClick={closeFolderReview}>
              Keep trusted
            </Button>
          </>
        ) : (
          <>
            <Button data-autofocus onClick={decide('restricted')}>
              Keep restricted
            </Button>
            {parent !== null && (
              <Button title={parent} onClick={decide('parent')}>
                Trust parent folder
              </Button>
            )}
            <Button variant="primary" onClick={decide('folder')}>
              {texts.trust}
            </Button>
          </>
        )
      }
    >
      <TrustedPlaces workspace={workspace} />
      <p>{trusted ? 'The agent may run commands here, subject to the mode, and the following is on:' : texts.advice}</p>
      <Effects effects={reviewing} nothing={texts.nothing} />
      {!trusted && parent !== null && (
        <p className="trust-note">
          "Trust parent folder" applies to every folder in <code>{displayPath(parent)}</code>, including future ones.
        </p>
      )}
      <p className="trust-note">
        Each MCP server and each hook still needs your approval before it starts. You can change your decision at any
        time.
      </p>
    </Dialog>
  )
}

/** What the decision is about: the folder, or the folders of a workspace and its file, whose settings apply. */
function TrustedPlaces({ workspace }: { workspace: WorkspaceInfo }) {
  const file = workspace.multiRoot?.file
  const places = [...foldersOf(workspace).map(({ path }) => path), ...(file ? [file] : [])]
  if (!workspace.multiRoot)
    return (
      <p className="trust-path">
        <code>{displayPath(workspace.root)}</code>
      </p>
    )
  return (
    <ul className="trust-path trust-places" aria-label="Folders of the workspace" tabIndex={0}>
      {places.map((place) => (
        <li key={place}>
          <code>{displayPath(place)}</code>
        </li>
      ))}
    </ul>
  )
}

function Effects({ effects: { effects, more }, nothing }: { effects: TrustEffects; nothing: string }) {
  const groups = kinds
    .map((kind) => ({ kind, found: effects.filter((effect) => effect.kind === kind) }))
    .filter(({ found }) => found.length > 0)
  return (
    <div className="trust-effects" tabIndex={0} role="region" aria-label="Enabled in a trusted folder">
      <ul>
        <li>
          <Icon name="terminal" /> <span>Agent commands</span>
        </li>
        <li>
          <Icon name="symbol-misc" /> <span>Language servers and the project's formatter</span>
        </li>
        <li>
          <Icon name="source-control" /> <span>Git remotes, hooks and signing</span>
        </li>
        {groups.map(({ kind, found }) => (
          <li key={kind}>
            <Icon name={kindTexts[kind].icon} />
            <div>
              {pluralNoun(found.length, kindTexts[kind].label)}
              <ul>
                {found.map(({ name, detail }) => (
                  <li key={`${name} ${detail ?? ''}`}>
                    <code>{visibleText(name)}</code>
                    {detail !== undefined && <code className="trust-detail">{visibleText(detail)}</code>}
                  </li>
                ))}
              </ul>
            </div>
          </li>
        ))}
        {groups.length === 0 && (
          <li>
            <Icon name="info" /> <span>{nothing}</span>
          </li>
        )}
        {more && <li>More entries exist.</li>}
      </ul>
    </div>
  )
}
