import { pluralNoun } from '../../shared/text/plural.ts'
import type { TrustEffect, TrustEffects } from '../../shared/files/folderTrust.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { displayPath, useWorkspace } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { closeFolderReview, decideFolderTrust, useFolderTrust } from '../platform/folderTrust.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Dialog, Icon } from '../ui/index.ts'
import './folderTrust.css'

/** Bar shown until the user has decided about a folder. */
export function FolderTrustBanner() {
  const restricted = useWorkspace()?.restricted
  if (!restricted || restricted.decided) return null
  return (
    <div className="trust-banner" role="region" aria-label="Folder trust">
      <Icon name="shield" />
      <span>
        This folder is restricted. The agent can read and edit files, but commands, language servers, instructions and
        MCP servers in the folder are off.
      </span>
      <Button size="small" onClick={() => runCommand('trust.manage')}>
        Review…
      </Button>
    </div>
  )
}

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
  const trusted = workspace.restricted === undefined
  const decide = (choice: Parameters<typeof decideFolderTrust>[0]) => () =>
    attempt(() => decideFolderTrust(choice), 'Your decision could not be saved')
  return (
    <Dialog
      title={trusted ? 'This folder is trusted' : 'Trust this folder?'}
      width={620}
      onClose={closeFolderReview}
      footer={
        trusted ? (
          <>
            <Button onClick={decide('restricted')}>Restrict folder</Button>
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
              Trust folder
            </Button>
          </>
        )
      }
    >
      <p className="trust-path">
        <code>{displayPath(workspace.root)}</code>
      </p>
      <p>
        {trusted
          ? 'The agent may run commands here, subject to the mode, and the following is on:'
          : 'Trust a folder only if you know where its files come from. In a trusted folder the agent may run commands, subject to the mode, and the following is on:'}
      </p>
      <Effects effects={reviewing} />
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

function Effects({ effects: { effects, more } }: { effects: TrustEffects }) {
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
            <Icon name="info" />{' '}
            <span>The folder has no instructions, rules, skills, prompts, MCP servers or hooks.</span>
          </li>
        )}
        {more && <li>More entries exist.</li>}
      </ul>
    </div>
  )
}
