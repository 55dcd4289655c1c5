import { useEffect, useRef, useState } from 'react'
import { Delayer } from '../../shared/async/delayer.ts'
import { Latest } from '../../shared/async/latest.ts'
import { Throttler } from '../../shared/async/throttler.ts'
import type { Events } from '../../shared/bridge/protocol.ts'
import { pathInFolder } from '../../shared/files/workspaceFolders.ts'
import { hookFiles, type HookInfo, type HookList, type HookState } from '../../shared/tools/hooks.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { currentWorkspace, useWorkspace } from '../platform/appState.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon } from '../ui/index.ts'
import './mcp/mcp.css'

const stateTexts: Readonly<Record<HookState, string>> = {
  approved: 'Approved',
  new: 'Waits for your decision',
  changed: 'Changed since you approved it. What it checks is refused until you decide.',
  lost: 'Approved, but its file cannot be read or has hooks that are not used. What it checks is refused until you correct the file or turn the hook off.',
  refused: 'Off',
}
const undecidedGuard = 'Waits for your decision about the files that it names. What it checks is refused until then.'
const dots: Readonly<Record<HookState, string>> = {
  approved: 'endpoint-dot-good',
  new: 'endpoint-dot-warning',
  changed: 'endpoint-dot-bad',
  lost: 'endpoint-dot-bad',
  refused: '',
}

const loadFailure = 'The hooks could not be loaded'
/** Milliseconds in which changes of files are read together. */
const changeDelay = 300

/** Whether changes of files can change hooks: of what defines them, what they name, and what a pattern can name. */
function concernsHooks({ changes, overflow }: Events['files.changed'], list: HookList | null): boolean {
  const isHookFile = (path: string) => hookFiles.some((file) => file === pathInFolder(currentWorkspace(), path))
  const isNamed = (path: string) => list?.hooks.some(({ scripts }) => scripts.includes(path)) === true
  return overflow || changes.some(({ path, change }) => change !== 'changed' || isHookFile(path) || isNamed(path))
}

/** The hooks of the open folder with their commands, and the user's decision about each. */
export function Hooks() {
  const workspace = useWorkspace()
  const [list, setList] = useState<HookList | null>(null)
  const latest = useRef(list)
  latest.current = list
  const reads = useRef(new Throttler())
  /** Begins anew when a decision ends: what was requested before may be without it. */
  const decisions = useRef(new Latest())
  const show = async (send: () => Promise<HookList>) => {
    const isCurrent = decisions.current.join()
    const next = await send()
    if (isCurrent()) setList(next)
  }
  /** Reads the hooks. While a read runs, one more follows it, because it may be without the latest change. */
  const load = () => reads.current.queue(() => show(() => request('hooks.list', {})))
  useEffect(() => {
    const read = (): void => attempt(load, loadFailure)
    // A read of another folder is not shown.
    decisions.current.begin()
    read()
    const delayed = new Delayer(read, changeDelay)
    const stops = [
      on('files.changed', (event) => concernsHooks(event, latest.current) && delayed.start()),
      on('plugins.changed', () => delayed.start()),
      () => delayed.cancel(),
    ]
    return () => stops.forEach((stop) => stop())
  }, [workspace])
  if (!workspace) return <p className="settings-text">Open a folder to see its hooks.</p>
  if (!list) return null
  const decide = (id: string, approved: boolean) =>
    attempt(async () => {
      try {
        await show(() => request('hooks.decide', { id, approved }))
      } finally {
        decisions.current.begin()
        attempt(load, loadFailure)
      }
    }, 'Your decision could not be saved')
  return (
    <>
      {list.hooks.length === 0 && (
        <p className="settings-text">This folder defines no hooks that Tizona runs, and no plug-in brings one.</p>
      )}
      {list.restricted && list.hooks.length > 0 && (
        <div className="settings-restricted" role="status">
          <span>This folder is restricted. Its hooks do not run until you trust it.</span>
          <Button size="small" onClick={() => void runCommand('trust.manage')}>
            Manage folder trust
          </Button>
        </div>
      )}
      {list.problems.map((problem) => (
        <p key={problem} className="mcp-problem" role="status">
          <Icon name="warning" />
          {visibleText(problem)}
        </p>
      ))}
      {list.hooks.map((hook) => (
        <HookRow key={hook.id} hook={hook} canDecide={!list.restricted} onDecide={decide} />
      ))}
      {list.hooks.length > 0 && (
        <div className="endpoints-actions">
          <Button size="small" icon="refresh" onClick={() => attempt(load, loadFailure)}>
            Read again
          </Button>
        </div>
      )}
    </>
  )
}

interface HookRowProps {
  hook: HookInfo
  canDecide: boolean
  onDecide(id: string, approved: boolean): void
}

function HookRow({ hook, canDecide, onDecide }: HookRowProps) {
  const { id, event, matcher, command, source, plugin, scripts, missing, timeout, state } = hook
  const title = matcher === '' ? event : `${event} (${matcher})`
  return (
    <section className="mcp-server" aria-label={`Hook ${title}`} data-state={state}>
      <div className="mcp-server-head">
        <span className={`endpoint-dot ${dots[state]}`} />
        <div className="endpoint-main">
          <div className="endpoint-name">
            {visibleText(title)}
            <span className="mcp-state">{state === 'new' && plugin ? undecidedGuard : stateTexts[state]}</span>
          </div>
          <code>{visibleText(command)}</code>
          <div className="mcp-state">
            {`${plugin === undefined ? source : `Plug-in ${plugin.name}`} · at most ${timeout} s`}
            {scripts.length > 0 && ` · names ${scripts.map((script) => visibleText(script)).join(', ')}`}
          </div>
          {missing.length > 0 && (
            <div className="mcp-state">
              {`Tizona found no file in the folder for ${missing.map((word) => visibleText(word)).join(', ')}, so changes of it are not noticed.`}
            </div>
          )}
        </div>
        <span className="endpoint-actions">
          {canDecide && state !== 'approved' && state !== 'lost' && !plugin?.changed && (
            <Button
              size="small"
              variant="primary"
              aria-label={`Approve hook ${title}`}
              onClick={() => onDecide(id, true)}
            >
              Approve
            </Button>
          )}
          {canDecide && state !== 'refused' && (
            <Button size="small" aria-label={`Turn off hook ${title}`} onClick={() => onDecide(id, false)}>
              Turn off
            </Button>
          )}
        </span>
      </div>
    </section>
  )
}
