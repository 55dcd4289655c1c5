import type { ReactNode } from 'react'
import { isSameModel } from '../../../shared/models/modelName.ts'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { useWorkspace } from '../../platform/appState.ts'
import { runCommand, shortcutOf } from '../../platform/commands.ts'
import { useChat, type ChatState } from '../../platform/conversation/chatStore.ts'
import { useCurrentModel } from '../../platform/conversation/currentModel.ts'
import { useSuggestedMessages } from '../../platform/conversation/suggestedMessages.ts'
import { isUsable, useEndpoints } from '../../platform/models/endpointsStore.ts'
import { useFirstChanges } from '../../platform/firstKept.ts'
import { applyReview, showReview, useReview } from '../../platform/review/reviewStore.ts'
import { Button } from '../../ui/index.ts'
import { attempt } from '../../platform/notices.ts'
import { Step, type StepState } from './Step.tsx'

/** Whether the model that gets the next message works in guided turns. */
function useIsGuided(): boolean {
  const choice = useCurrentModel()
  return useEndpoints(({ endpoints }) =>
    endpoints.some(
      ({ endpoint, models }) =>
        endpoint.id === choice?.endpointId &&
        models.some(({ id, guided }) => guided === true && isSameModel(id, choice.model)),
    ),
  )
}

/** What happened to the last message: not sent, being answered, or how its turn ended. */
type Asked = 'no' | 'running' | 'approval' | 'failed' | 'stopped' | 'noChange' | 'changed'

function askedState({ info, order, items, running, approvals, lastOutcome }: ChatState): Asked {
  if (approvals.some(({ conversationId }) => conversationId === info?.id)) return 'approval'
  if (running) return 'running'
  const own = order.flatMap((id) => items[id] ?? [])
  const last = own.findLastIndex((item) => item.kind === 'user')
  if (last === -1) return 'no'
  const turn = own.slice(last)
  const answers = turn.filter((item) => item.kind === 'assistant')
  if (answers.some(({ review }) => review !== undefined)) return 'changed'
  if (turn.some((item) => item.kind === 'notice' && item.level === 'error')) return 'failed'
  // The outcome is not stored. After a reload, the state of the answer remains.
  return lastOutcome === 'cancelled' || answers.at(-1)?.state === 'stopped' ? 'stopped' : 'noChange'
}

interface AskTexts {
  state: StepState
  status: string
}

const askTexts: Readonly<Record<Asked, AskTexts>> = {
  no: { state: 'current', status: 'Choose a message, or write your own in the chat panel. Enter sends it.' },
  running: { state: 'waiting', status: 'The model is working. The chat panel shows each step.' },
  approval: {
    state: 'current',
    status: 'The model waits for your approval. Allow or refuse the call in the chat panel.',
  },
  failed: { state: 'failed', status: 'The turn failed. The chat panel shows the reason, and what to do.' },
  stopped: {
    state: 'current',
    status: 'The turn was stopped before it changed a file. Send another message, or choose one:',
  },
  // The user undid the change, or it was removed otherwise.
  changed: { state: 'current', status: 'The change no longer waits in the review. Ask for another one:' },
  noChange: {
    state: 'failed',
    status:
      'The model answered without changing a file. Name the file and the change, or change the text yourself with its help:',
  },
}

function Suggestions() {
  const changes = useSuggestedMessages().filter((message) => message.changes)
  return (
    <ul className="first-step-messages" aria-label="Messages to begin with">
      {changes.map(({ icon, text }) => (
        <li key={text}>
          <Button icon={icon} onClick={() => runCommand('chat.suggest', text)}>
            {text}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** What this window has seen in the open folder. */
function useFirstChange(): 'changed' | 'kept' | undefined {
  const root = useWorkspace()?.root
  return useFirstChanges(({ folders }) => (root === undefined ? undefined : folders[root]))
}

/**
 * @param everKept whether the user has kept a change of the model in any folder
 * @param children what the step also offers
 */
export function AskStep({ everKept, children }: { everKept: boolean; children: ReactNode }) {
  const workspace = useWorkspace()
  const seen = useFirstChange()
  const usable = useEndpoints(({ endpoints }) => endpoints.some((status) => isUsable(status)))
  const sent = useChat(askedState)
  const asked = sent === 'no' && seen !== undefined ? 'changed' : sent
  const waits = useReview(({ pending }) => pending.files.length > 0)
  const changed = waits ? asked !== 'approval' && asked !== 'running' : everKept && asked === 'changed'
  const isGuided = useIsGuided()
  const title = '3. Ask for a change'
  if (!workspace) return <Step title={title} state="later" status="A message asks the model to change a file." />
  if (seen === 'kept' || changed) return <Step title={title} state="done" status="The model changed a file." />
  if (!usable) return <Step title={title} state="later" status="Connect to a model first." />
  const { state, status } = askTexts[asked]
  const inline = shortcutOf('inlineEdit.start')
  return (
    <Step title={title} state={state} status={status}>
      {asked === 'noChange' && (
        <p>
          {`Open a file, select some lines, press ${inline ?? 'the shortcut of "Edit inline"'} and describe the new text. This needs no tools.`}
        </p>
      )}
      {isGuided && asked !== 'running' && (
        <p>
          Tizona asks this small model step by step: it changes one line that you describe exactly, with the name of the
          file, the old words and the new ones. Finding faults and larger tasks need a larger model.
        </p>
      )}
      {asked !== 'running' && asked !== 'approval' && <Suggestions />}
      {children}
    </Step>
  )
}

/** @param everKept whether the user has kept a change of the model in any folder */
export function KeepStep({ everKept }: { everKept: boolean }) {
  const files = useReview(({ pending }) => pending.files)
  const seen = useFirstChange()
  const title = '4. Keep the change'
  const [first] = files
  if (seen === 'kept' || (everKept && !first))
    return (
      <Step
        title={title}
        state="done"
        status="You have kept a change. You can undo each change of a file in the review until you keep it."
      >
        <div className="first-step-actions">
          <Button size="small" icon="compass" onClick={() => runCommand('tour.start')}>
            Take the tour
          </Button>
          <Button size="small" variant="ghost" icon="keyboard" onClick={() => runCommand('help.keys')}>
            Keyboard shortcuts
          </Button>
        </div>
      </Step>
    )
  if (!first)
    return <Step title={title} state="later" status="A change waits in the review until you keep or undo it." />
  const all = { kind: 'pending' } as const
  return (
    <Step
      title={title}
      state="current"
      status={`${files.length === 1 ? visibleText(first.path) : plural(files.length, 'file')} changed. Look at each change in the review, then keep or undo it.`}
    >
      <div className="first-step-actions">
        <Button size="small" variant="primary" icon="diff" onClick={() => showReview(all)}>
          Review changes
        </Button>
        <Button
          size="small"
          onClick={() => attempt(() => applyReview('keep', all, 'all'), 'The change could not be kept')}
        >
          Keep all
        </Button>
      </div>
    </Step>
  )
}
