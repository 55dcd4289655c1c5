import { useEffect, useState } from 'react'
import { runsFromData, type PluginData, type PluginInfo, type PluginState } from '../../../shared/plugins/plugins.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { useWorkspace } from '../../platform/appState.ts'
import { on, request } from '../../platform/bridge/bridge.ts'
import { runCommand } from '../../platform/commands.ts'
import { confirm } from '../../platform/confirm.ts'
import { takePageFocus } from '../../platform/layout/pages.tsx'
import { attempt } from '../../platform/notices.ts'
import { Button, Dialog, Icon, Spinner } from '../../ui/index.ts'
import { checkOne } from './addPlugins.ts'
import { PluginFiles } from './PluginFiles.tsx'
import { PluginParts } from './PluginParts.tsx'
import { PluginUpdate } from './PluginUpdate.tsx'
import '../extensions.css'

const listFailure = 'The plug-ins could not be listed'

/** The page that lists the plug-ins with all that each brings, the user's trust, and updates. */
export function PluginsPage() {
  const [plugins, setPlugins] = useState<readonly PluginInfo[] | null>(null)
  const [reviewed, setReviewed] = useState<PluginInfo | null>(null)
  const load = async () => setPlugins(await request('plugins.list', {}))
  useEffect(() => {
    attempt(load, listFailure)
    return on('plugins.changed', () => attempt(load, listFailure))
  }, [])
  return (
    <div className="extensions" role="region" aria-label="Plug-ins" data-drop="plugins">
      <div className="extensions-page">
        <h1 className="ui-page-title">Plug-ins</h1>
        <p className="extensions-text">
          Skills, prompts, hooks, MCP servers and sub-agents for the agent, in the format of Claude Code. Nothing of a
          plug-in is used before you trust it. Drop a .zip file or a folder here, or choose one.
        </p>
        <div className="extensions-actions">
          <Button ref={takePageFocus} data-autofocus variant="primary" onClick={() => runCommand('plugins.addFolder')}>
            Add from folder…
          </Button>
          <Button onClick={() => runCommand('plugins.addArchive')}>Add from ZIP…</Button>
          <Button variant="ghost" onClick={() => runCommand('plugins.check')}>
            Check for updates
          </Button>
        </div>
        {plugins === null && <Spinner label="Loading plug-ins" />}
        {plugins?.length === 0 && <p className="extensions-text">No plug-in is installed.</p>}
        <ul className="extensions-list" aria-label="Installed plug-ins">
          {plugins?.map((plugin) => (
            <PluginRow key={plugin.name} plugin={plugin} onReview={setReviewed} />
          ))}
        </ul>
      </div>
      {reviewed && <TrustDialog plugin={reviewed} onClose={() => setReviewed(null)} />}
    </div>
  )
}

const stateTexts: Readonly<Record<PluginState, string>> = {
  trusted: 'trusted',
  untrusted: 'not trusted',
  changed: 'changed',
}

async function removePlugin({ name }: PluginInfo): Promise<void> {
  const data = await request('plugins.data', { name })
  const answer = await confirm({
    title: `Remove ${name}?`,
    message: [
      'Its copy is deleted, its MCP servers stop, and its hooks no longer run. The folder or file that you added stays.',
      ...(data.files > 0 ? [keptText(data)] : []),
    ].join(' '),
    choices:
      data.files === 0
        ? [{ id: 'remove', label: 'Remove', variant: 'danger' }]
        : [
            { id: 'remove', label: 'Remove and keep data', variant: 'danger' },
            { id: 'removeAll', label: 'Remove with data', variant: 'danger' },
          ],
  })
  if (answer !== null) await request('plugins.remove', { name, deleteData: answer === 'removeAll' })
}

const keptText = ({ path, files, size, more }: PluginData) =>
  more
    ? `It has stored more than ${plural(files, 'file')} (${formatSize(size)}) in ${visibleText(path)}.`
    : `It has stored ${plural(files, 'file')} (${formatSize(size)}) in ${visibleText(path)}.`

interface PluginRowProps {
  plugin: PluginInfo
  onReview(plugin: PluginInfo): void
}

/** Whether a plug-in is on, and whether it may be used. */
function switchFacts({ enabled, enabledHere, state }: PluginInfo): string[] {
  if (enabledHere === false) return ['disabled in this folder']
  if (enabledHere === true && !enabled) return [stateTexts[state], 'enabled in this folder']
  return [enabled ? stateTexts[state] : 'disabled']
}

function PluginRow({ plugin, onReview }: PluginRowProps) {
  const { name, hash, contents, source, state, changedFiles, enabled, enabledHere, files, size, offered } = plugin
  const isOn = enabledHere ?? enabled
  const { version, description, author } = contents
  const facts = [version, ...switchFacts(plugin)].filter((fact) => fact !== '').join(' · ')
  const hasFolder = useWorkspace() !== null
  const act = (work: () => Promise<unknown>) => () => attempt(work, `The plug-in ${name} was not changed`)
  return (
    <li className="extension" data-enabled={isOn} data-state={state}>
      <div className="extension-head">
        <div className="extension-main">
          <h2 className="extension-name">
            {name} <span className="extension-muted">{facts}</span>
          </h2>
          <code className="extension-id">{visibleText(source.kind === 'folder' ? source.path : source.name)}</code>
          {description !== '' && <p>{visibleText(description)}</p>}
          <p className="extension-muted plugin-facts">
            {[author, plural(files, 'file'), formatSize(size), `SHA-256 ${hash.slice(0, 16)}`]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </div>
        <div className="extension-actions">
          {state === 'untrusted' && (
            <Button size="small" variant="primary" aria-label={`Trust ${name}…`} onClick={() => onReview(plugin)}>
              Trust…
            </Button>
          )}
          {source.kind === 'folder' && (
            <Button size="small" aria-label={`Check ${name} for updates`} onClick={act(() => checkOne(name))}>
              Check
            </Button>
          )}
          <Button
            size="small"
            aria-label={enabled ? `Disable ${name}` : `Enable ${name}`}
            onClick={act(() => request('plugins.setEnabled', { name, enabled: !enabled }))}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          {hasFolder && (
            <Button
              size="small"
              aria-label={isOn ? `Disable in this folder: ${name}` : `Enable in this folder: ${name}`}
              onClick={act(() => request('plugins.setEnabled', { name, enabled: !isOn, onlyHere: true }))}
            >
              {isOn ? 'Disable in this folder' : 'Enable in this folder'}
            </Button>
          )}
          <Button size="small" variant="ghost" aria-label={`Remove ${name}`} onClick={act(() => removePlugin(plugin))}>
            Remove
          </Button>
        </div>
      </div>
      {state === 'changed' && <ChangedNote files={changedFiles} />}
      {offered && <PluginUpdate key={offered.hash} plugin={plugin} offered={offered} />}
      <PluginParts name={name} contents={contents} />
      <PluginFiles key={hash} name={name} hash={hash} />
      {state === 'trusted' && (
        <div>
          <Button
            size="small"
            variant="ghost"
            aria-label={`End the trust in ${name}`}
            onClick={act(() => request('plugins.trust', { name, hash, trusted: false }))}
          >
            End trust
          </Button>
        </div>
      )}
    </li>
  )
}

/** Maximum number of changed files that are named. */
const maxNamed = 10

function ChangedNote({ files }: { files: readonly string[] }) {
  const named = files.slice(0, maxNamed).map(visibleText).join(', ')
  return (
    <p className="plugin-changed" role="status">
      <Icon name="warning" />
      <span>
        {`Files of the stored copy have changed, so nothing of this plug-in is used: ${named}${files.length > maxNamed ? ', …' : ''}. Add it again from its source, or remove it.`}
      </span>
    </p>
  )
}

/** Shows everything that a plug-in would run and send to the model, before the user trusts its files. */
function TrustDialog({ plugin, onClose }: { plugin: PluginInfo; onClose: () => void }) {
  const { name, hash, contents, files } = plugin
  const trust = () =>
    attempt(async () => {
      await request('plugins.trust', { name, hash, trusted: true })
      onClose()
    }, `The plug-in ${name} was not trusted`)
  return (
    <Dialog
      title={`Trust ${name}?`}
      width={640}
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            Not now
          </Button>
          <Button variant="primary" onClick={trust}>
            Trust plug-in
          </Button>
        </>
      }
    >
      <p>
        Trust it only if you know where it comes from. Its MCP servers start without a sandbox, with your permissions.
        Its hooks run in the sandbox, in trusted folders. Its skills, prompts and sub-agents are instructions to the
        model.
      </p>
      {contents.hooks.length > 0 && runsFromData(contents) && (
        <p>
          It starts programs from its data folder, or passes the folder to them. Its hooks can read this folder, and not
          change it.
        </p>
      )}
      <div className="plugin-review" tabIndex={0} role="region" aria-label="What it brings">
        <PluginParts name={name} contents={contents} />
        <PluginFiles name={name} hash={hash} />
      </div>
      <p className="extension-muted">
        {`Your trust is for these ${plural(files, 'file')}: SHA-256 `}
        <code>{hash}</code>
      </p>
    </Dialog>
  )
}
