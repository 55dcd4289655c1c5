import type { EndpointStatus, ModelInfo } from '../../shared/settings/settings.ts'
import { formatTokens } from '../../shared/text/formatTokens.ts'
import { Icon } from '../ui/index.ts'
import { isForEmbeddings, isUsable, modelsText } from '../platform/models/endpointsStore.ts'
import { TestFailed, TestRunning } from './TestProgress.tsx'

export type EndpointTestState =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'answered'; status: EndpointStatus }
  | { kind: 'failed'; message: string }

/** Maximum number of models that are listed individually. */
const maxListedModels = 12

/** Result of a connection test: the server and the features of its models. */
export function EndpointTestResult({ test }: { test: EndpointTestState }) {
  switch (test.kind) {
    case 'none':
      return null
    case 'busy':
      return <TestRunning text="Testing the endpoint…" />
    case 'failed':
      return <TestFailed message={test.message} />
    case 'answered': {
      const { status } = test
      const good = isUsable(status) || isForEmbeddings(status)
      return (
        <div role="status" data-testid="endpoint-test">
          <p className={`endpoint-test ${good ? 'endpoint-test-good' : 'endpoint-test-bad'}`}>
            <Icon name={good ? 'pass' : 'warning'} />
            {good
              ? modelsText(status)
              : (status.problem ??
                (status.reachable ? 'The server responds but has no models.' : 'The server does not respond.'))}
          </p>
          {status.reachable && <ServerFacts status={status} />}
        </div>
      )
    }
  }
}

function ServerFacts({ status }: { status: EndpointStatus }) {
  const { server, countsTokens, models, problem } = status
  const counting =
    countsTokens === true
      ? 'The server counts tokens.'
      : 'The server does not count tokens. Tizona estimates them and corrects the estimate with the reported usage.'
  return (
    <div className="endpoint-facts">
      <p>
        {server ? `Server: ${server}. ` : ''}
        {counting}
      </p>
      {isUsable(status) && problem && <p className="endpoint-problem">{problem}</p>}
      <ul>
        {models.slice(0, maxListedModels).map((model) => (
          <li key={model.id}>
            <code>{model.id}</code>
            <span>{modelFacts(model)}</span>
          </li>
        ))}
      </ul>
      {models.length > maxListedModels && <p>and {models.length - maxListedModels} more</p>}
    </div>
  )
}

/** Formats the features of a model, for example "32k context · tool calls · images · loaded". */
function modelFacts({ contextWindow, tools, vision, loaded }: ModelInfo): string {
  return [
    contextWindow ? `${formatTokens(contextWindow)} context` : 'context unknown',
    tools === true && 'tool calls',
    tools === false && 'calls as text',
    vision === true && 'images',
    loaded === true && 'loaded',
  ]
    .filter(Boolean)
    .join(' · ')
}
