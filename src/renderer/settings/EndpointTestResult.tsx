import type { EndpointStatus, ModelInfo } from '../../shared/settings.ts'
import { formatTokens } from '../../shared/formatTokens.ts'
import { Icon, Spinner } from '../ui/index.ts'
import { isUsable, modelsText } from '../platform/endpointsStore.ts'

export type EndpointTestState =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'answered'; status: EndpointStatus }
  | { kind: 'failed'; message: string }

/** Maximum number of models that are listed individually. */
const maxListedModels = 12

/** The result of a test: the server and the features of its models. */
export function EndpointTestResult({ test }: { test: EndpointTestState }) {
  switch (test.kind) {
    case 'none':
      return null
    case 'busy':
      return (
        <p className="endpoint-test" role="status">
          <Spinner label="Asking" /> Asking for its models…
        </p>
      )
    case 'failed':
      return (
        <p className="endpoint-test endpoint-test-bad" role="alert">
          <Icon name="error" /> {test.message}
        </p>
      )
    case 'answered': {
      const { status } = test
      const good = isUsable(status)
      return (
        <div role="status" data-testid="endpoint-test">
          <p className={`endpoint-test ${good ? 'endpoint-test-good' : 'endpoint-test-bad'}`}>
            <Icon name={good ? 'pass' : 'warning'} />
            {good
              ? modelsText(status)
              : (status.problem ?? (status.reachable ? 'It answers, but has no model.' : 'It does not answer.'))}
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
      ? 'It counts tokens itself.'
      : 'It does not count tokens: they are estimated, and corrected by what it reports.'
  return (
    <div className="endpoint-facts">
      <p>
        {server ? `This is ${server}. ` : ''}
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

/** "32k context · calls tools · sees pictures · loaded" */
function modelFacts({ contextWindow, tools, vision, loaded }: ModelInfo): string {
  return [
    contextWindow ? `${formatTokens(contextWindow)} context` : 'context unknown',
    tools === true && 'calls tools',
    tools === false && 'no tool calls',
    vision === true && 'sees pictures',
    loaded === true && 'loaded',
  ]
    .filter(Boolean)
    .join(' · ')
}
