import { useEffect, useState } from 'react'
import type { ExtensionInfo } from '../../shared/extensions/extensions.ts'
import { contributionKinds } from '../../shared/extensions/extensions.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { plural } from '../../shared/text/plural.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { confirm } from '../platform/confirm.ts'
import { takePageFocus } from '../platform/layout/pages.tsx'
import { attempt } from '../platform/notices.ts'
import { Button, Spinner } from '../ui/index.ts'
import { UnusedParts } from './UnusedParts.tsx'
import './extensions.css'

/** The page that lists the installed extensions, with what Tizona uses of each and what not. */
export function ExtensionsPage() {
  const [extensions, setExtensions] = useState<readonly ExtensionInfo[] | null>(null)
  const load = async () => setExtensions(await request('extensions.list', {}))
  useEffect(() => {
    attempt(load, 'The extensions could not be listed')
    return on('extensions.changed', () => attempt(load, 'The extensions could not be listed'))
  }, [])
  return (
    <div className="extensions" role="region" aria-label="Extensions" data-drop="extensions">
      <div className="extensions-page">
        <h1 className="ui-page-title">Extensions</h1>
        <p className="extensions-text">
          Themes, file icons, grammars, languages, snippets, keyboard shortcuts and JSON schemas of VS Code extensions.
          Tizona runs none of their code. Drop a .vsix file or the folder of an extension here, or choose one.
        </p>
        <div className="extensions-actions">
          <Button ref={takePageFocus} data-autofocus variant="primary" onClick={() => runCommand('extensions.install')}>
            Install from VSIX…
          </Button>
          <Button onClick={() => runCommand('extensions.installFolder')}>Install from folder…</Button>
          <Button variant="ghost" onClick={() => runCommand('iconTheme.choose')}>
            File icon theme…
          </Button>
        </div>
        {extensions === null && <Spinner label="Loading extensions" />}
        {extensions?.length === 0 && <p className="extensions-text">No extension is installed.</p>}
        <ul className="extensions-list" aria-label="Installed extensions">
          {extensions?.map((extension) => (
            <ExtensionRow key={extension.id} extension={extension} />
          ))}
        </ul>
      </div>
    </div>
  )
}

async function removeExtension({ id, name }: ExtensionInfo): Promise<void> {
  const answer = await confirm({
    title: `Remove ${visibleText(name)}?`,
    message: 'Its files are deleted from the user data folder. The file that you installed stays.',
    choices: [{ id: 'remove', label: 'Remove', variant: 'danger' }],
  })
  if (answer !== null) await request('extensions.remove', { id })
}

function ExtensionRow({ extension }: { extension: ExtensionInfo }) {
  const { id, name, version, description, enabled, used, notUsed } = extension
  const title = visibleText(name)
  return (
    <li className="extension" data-enabled={enabled}>
      <div className="extension-head">
        <div className="extension-main">
          <h2 className="extension-name">
            {title} <span className="extension-muted">{enabled ? version : `${version} · disabled`}</span>
          </h2>
          <code className="extension-id">{visibleText(id)}</code>
          {description !== '' && <p>{visibleText(description)}</p>}
        </div>
        <div className="extension-actions">
          <Button
            size="small"
            aria-label={enabled ? `Disable ${title}` : `Enable ${title}`}
            onClick={() =>
              attempt(
                () => request('extensions.setEnabled', { id, enabled: !enabled }),
                'The extension could not be changed',
              )
            }
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <Button
            size="small"
            variant="ghost"
            aria-label={`Remove ${title}`}
            onClick={() => attempt(() => removeExtension(extension), 'The extension could not be removed')}
          >
            Remove
          </Button>
        </div>
      </div>
      <ul className="extension-used" aria-label={`Used of ${title}`}>
        {used.map(({ kind, names }) => (
          <li key={kind} title={names.slice(0, 30).map(visibleText).join(', ')}>
            {plural(names.length, contributionKinds[kind])}
            <span className="extension-muted">{` ${names.slice(0, 4).map(visibleText).join(', ')}${names.length > 4 ? ', …' : ''}`}</span>
          </li>
        ))}
      </ul>
      <UnusedParts parts={notUsed} />
    </li>
  )
}
