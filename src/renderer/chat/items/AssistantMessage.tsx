import { formatSeconds } from '../../../shared/text/formatDuration.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { Fragment, useState } from 'react'
import type { AssistantItem, TurnCost, Usage } from '../../../shared/agent/conversation.ts'
import { FoldToggle, Icon, IconButton } from '../../ui/index.ts'
import { ErrorBoundary } from '../../platform/ErrorBoundary.tsx'
import { lazyView } from '../../platform/layout/lazyView.tsx'
import { CopyButton } from '../../platform/CopyButton.tsx'
import { retry } from '../chatActions.ts'
import { fork } from '../restore/restoreActions.ts'
import { LinkedCode } from '../../platform/textLinks/LinkedCode.tsx'
import { useChat } from '../../platform/conversation/chatStore.ts'

/** Loaded separately from the panel. Answers are plain text until then. */
const Markdown = lazyView(
  async () => (await import('../../platform/markdown/Markdown.tsx')).Markdown,
  ({ text }: { text: string; streaming: boolean }) => <PlainText text={text} />,
)

function PlainText({ text }: { text: string }) {
  return <div className="markdown markdown-plain">{text}</div>
}

/** An answer from the model, with its reasoning, actions and token usage. @param nextId id of the item after it */
export function AssistantMessage({ item, nextId }: { item: AssistantItem; nextId: string | undefined }) {
  const streaming = item.state === 'streaming'
  const isLast = useChat((state) => !state.running && lastOfTurn(state.order, item.id, state.items))
  // Only the last answer of a turn shows usage, not an answer before a tool call.
  const followedByCall = useChat((state) => nextId !== undefined && state.items[nextId]?.kind === 'tool')
  const empty = item.text.trim() === ''
  // A notice reports that the endpoint failed before any output.
  if (empty && item.reasoning.trim() === '' && item.state !== 'stopped') return null
  return (
    <article className="chat-assistant" aria-label="Answer" aria-busy={streaming} data-state={item.state}>
      {item.reasoning.trim() !== '' && <Reasoning text={item.reasoning} streaming={streaming && empty} />}
      {!empty && (
        <ErrorBoundary
          name="Answer"
          line="This answer is shown without its formatting, which could not be loaded."
          instead={<PlainText text={item.text} />}
        >
          <Markdown text={item.text} streaming={streaming} />
        </ErrorBoundary>
      )}
      {item.state === 'stopped' && <StateLine icon="debug-stop" text="Stopped" />}
      {item.state === 'failed' && !empty && <StateLine icon="error" text="The answer was interrupted" />}
      {!streaming && !empty && followedByCall && (
        <div className="chat-actions">
          <CopyButton text={item.text} label="Copy answer" />
        </div>
      )}
      {!streaming && !empty && !followedByCall && (
        <footer className="chat-footer">
          <div className="chat-actions">
            <CopyButton text={item.text} label="Copy answer" />
            {isLast && <IconButton icon="refresh" label="Retry" onClick={retry} />}
            <IconButton icon="repo-forked" label="Fork the conversation here" onClick={() => fork(item.id)} />
          </div>
          {(item.usage || item.cost) && <UsageLine usage={item.usage} cost={item.cost} model={item.model} />}
        </footer>
      )}
    </article>
  )
}

function lastOfTurn(order: readonly string[], id: string, items: Readonly<Record<string, { kind: string }>>): boolean {
  const last = order.findLast((each) => items[each]?.kind === 'assistant')
  return last === id
}

function StateLine({ icon, text }: { icon: string; text: string }) {
  return (
    <div className="chat-state-line">
      <Icon name={icon} />
      {text}
    </div>
  )
}

/** The model's reasoning, collapsed to a word count. */
function Reasoning({ text, streaming }: { text: string; streaming: boolean }) {
  const [open, setOpen] = useState(false)
  const words = text.trim().split(/\s+/).length
  return (
    <section className="chat-reasoning">
      <FoldToggle open={open} onToggle={() => setOpen(!open)}>
        <span className={streaming ? 'chat-shimmer' : ''}>{streaming ? 'Thinking' : 'Thought'}</span>
        <span className="chat-reasoning-length">{plural(words, 'word')}</span>
      </FoldToggle>
      {open && <div className="chat-expanded-text">{streaming ? text.trim() : <LinkedCode text={text.trim()} />}</div>}
    </section>
  )
}

/** Returns what the whole turn took, briefly and as a sentence. */
function turnText({ requests, promptTokens, completionTokens, seconds, energy }: TurnCost): [string, string] {
  const time = formatSeconds(seconds)
  const used = energy && formatEnergy(energy.wattHours)
  const parts = energy?.of.map((each) => (each === 'processor' ? 'processor' : 'graphics card')).join(' and ')
  const sentence = `The turn: ${plural(requests, 'request')} in ${time}, ${plural(promptTokens, 'token')} read, ${formatNumber(completionTokens)} written`
  return [
    used === undefined ? time : `${time} · ${used}`,
    used === undefined ? sentence : `${sentence}, ${used} of this machine's ${parts}, whatever else it did`,
  ]
}

/** Returns the text of an energy. A short turn is not "0 mWh". */
function formatEnergy(wattHours: number): string {
  const milliwattHours = wattHours * 1000
  if (milliwattHours >= 999.5) return `${formatNumber(wattHours, wattHours < 9.95 ? 2 : 1)} Wh`
  if (milliwattHours > 0 && milliwattHours < 0.05) return 'less than 0.1 mWh'
  return `${formatNumber(milliwattHours, milliwattHours < 9.95 ? 1 : 0)} mWh`
}

/** Between the figures of an answer. A line breaks only here. */
const separator = ' · '

interface UsageLineProps {
  /** Of the last request. Absent: its answer was stopped or cut off. */
  usage: Usage | undefined
  cost: TurnCost | undefined
  model: string | undefined
}

function UsageLine({ usage, cost, model }: UsageLineProps) {
  const [answer, answerTitle] = usage ? answerText(usage) : []
  const [turn, turnTitle] = cost ? turnText(cost) : []
  const present = (text: string | undefined) => text !== undefined
  return (
    <div className="chat-usage" title={[answerTitle, turnTitle].filter(present).join('\n')} data-testid="usage">
      {model && <span className="chat-usage-model">{model}</span>}
      <span className="chat-usage-figures">
        {[answer, turn]
          .filter(present)
          .join(separator)
          .split(separator)
          .map((figure, at) => (
            <Fragment key={figure}>
              {at > 0 && separator}
              <span className="chat-usage-figure">{figure}</span>
            </Fragment>
          ))}
      </span>
    </div>
  )
}

/** Returns what the last request took, briefly and as a sentence. */
function answerText(usage: Usage): [string, string] {
  const { promptTokens, completionTokens, tokensPerSecond, cachedTokens, drafted, estimated } = usage
  const speed =
    tokensPerSecond === undefined ? '' : ` · ${formatNumber(tokensPerSecond, tokensPerSecond < 10 ? 1 : 0)} tok/s`
  const cached = cachedTokens === undefined ? '' : ` (${formatNumber(cachedTokens)} from the cache)`
  const drafts = drafted
    ? ` (${formatNumber(drafted.accepted)} of ${plural(drafted.tokens, 'drafted token')} accepted)`
    : ''
  const figures = `${plural(promptTokens, 'token')} read${cached}, ${formatNumber(completionTokens)} written${drafts}`
  return [
    `${estimated ? '≈ ' : ''}${formatNumber(promptTokens)} → ${plural(completionTokens, 'token')}${speed}`,
    estimated ? `${figures} (estimated: the server does not report usage)` : figures,
  ]
}
