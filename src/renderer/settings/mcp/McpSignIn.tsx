import type { McpServerStatus } from '../../../shared/tools/mcp.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { confirm } from '../../platform/confirm.ts'
import { CopyButton } from '../../platform/CopyButton.tsx'
import { changeMcp } from '../../platform/mcpStore.ts'
import { attempt } from '../../platform/notices.ts'
import { Button } from '../../ui/index.ts'

export function McpSignInActions({ server }: { server: McpServerStatus }) {
  const { key, signIn } = server
  if (signIn?.state === 'required') {
    return (
      <Button size="small" variant="primary" onClick={() => attempt(() => startSignIn(server), 'The sign-in failed')}>
        Sign in…
      </Button>
    )
  }
  if (signIn?.state === 'waiting') {
    return (
      <Button size="small" onClick={() => attempt(() => changeMcp('mcp.cancelSignIn', { key }))}>
        Cancel
      </Button>
    )
  }
  if (signIn?.state !== 'signedIn') return null
  return (
    <Button size="small" variant="ghost" onClick={() => attempt(() => changeMcp('mcp.signOut', { key }))}>
      Sign out
    </Button>
  )
}

/** Link to the sign-in page, in case the browser did not open. */
export function McpSignInWaiting({ server: { signIn } }: { server: McpServerStatus }) {
  if (signIn?.state !== 'waiting' || signIn.page === undefined) return null
  return (
    <p className="mcp-waiting" role="status">
      <span>
        Sign in in your browser. If no page has opened, open this address on this machine:{' '}
        <code>{visibleText(signIn.page)}</code>
      </span>
      <CopyButton text={signIn.page} label="Copy address" />
    </p>
  )
}

/** Asks before opening the browser, because the server chooses the page's host. */
async function startSignIn({ key, name }: McpServerStatus): Promise<void> {
  const { host, server, scopes } = await request('mcp.findSignIn', { key })
  const choice = await confirm({
    title: `Sign in to ${visibleText(name)}?`,
    message: `Your browser opens ${host}. After you sign in there, Tizona may use ${server} on your behalf.${
      scopes.length > 0 ? ' It requests these permissions:' : ''
    }`,
    items: scopes.map((scope) => visibleText(scope)),
    choices: [{ id: 'open', label: 'Open browser', variant: 'primary' }],
  })
  if (choice === 'open') await changeMcp('mcp.signIn', { key, host })
}
