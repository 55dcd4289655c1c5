import { useState } from 'react'
import { formatDuration } from '../../../shared/text/formatDuration.ts'
import { formatTokens } from '../../../shared/text/formatTokens.ts'
import type { ModelCheck } from '../../../shared/models/firstSteps.ts'
import type { EndpointStatus } from '../../../shared/settings/settings.ts'
import { modelDisplayName } from '../../../shared/models/modelName.ts'
import { useCurrentModel } from '../../platform/conversation/currentModel.ts'
import { runCommand } from '../../platform/commands.ts'
import { Button, Select } from '../../ui/index.ts'
import { checkKey, checkModel, useFirstSteps } from './firstStepsStore.ts'

/** Context size in tokens below which little room remains beside the tools. */
const smallWindow = 8192

/** Describes the check's result, and what to do about it. */
function checkText({ calls, contextWindow, firstAnswerMs }: ModelCheck): string {
  const found = {
    native: 'The model calls tools.',
    text: 'The model writes tool calls as text. Tizona parses them.',
    guided:
      'This model is too small to call tools by itself. Tizona asks it step by step: it can change a line that you describe exactly, but not find and solve a problem.',
    cut: 'The answer was cut before the model called the tool: it thinks for longer than this check allows, or its context is full. Use "Check thoroughly…" instead.',
    none: 'The model did not call the tool. Ask it for small changes with "Edit inline", or choose a larger model.',
  }[calls]
  const size =
    contextWindow === undefined
      ? 'Its context size is unknown. Set it in the settings.'
      : contextWindow < smallWindow
        ? `Its context size is ${formatTokens(contextWindow)} tokens, which is small. Start the server with more.`
        : `Its context size is ${formatTokens(contextWindow)} tokens.`
  return `${found} ${size} The first answer took ${formatDuration(firstAnswerMs)}.`
}

/** Checks a model on a running server: whether it calls tools, and how large its context is. */
export function ModelChecks({ servers }: { servers: readonly EndpointStatus[] }) {
  const preferred = useCurrentModel()
  const choices = servers.flatMap(({ endpoint, models }) =>
    models.map((model) => ({ value: checkKey(endpoint.id, model.id), endpoint, model: model.id })),
  )
  const [picked, setPicked] = useState(preferred ? checkKey(preferred.endpointId, preferred.model) : '')
  const choice = choices.find(({ value }) => value === picked) ?? choices[0]
  const check = useFirstSteps((state) => (choice ? state.checks[choice.value] : undefined))
  if (!choice) return null
  const running = check !== undefined && 'running' in check
  return (
    <div className="model-check">
      <div className="first-step-actions">
        <Select
          label="Model to check"
          hideLabel
          value={choice.value}
          options={choices.map(({ value, endpoint, model }) => ({
            value,
            label: `${modelDisplayName(model)} (${endpoint.name})`,
          }))}
          onChange={(event) => setPicked(event.target.value)}
        />
        <Button
          size="small"
          icon="beaker"
          disabled={running}
          onClick={() => void checkModel(choice.endpoint.id, choice.model)}
        >
          {running ? 'Checking…' : 'Check model'}
        </Button>
        <Button
          size="small"
          variant="ghost"
          onClick={() => runCommand('help.checkModel', { endpointId: choice.endpoint.id, model: choice.model })}
        >
          Check thoroughly…
        </Button>
      </div>
      <p role="status" data-failed={check !== undefined && 'failure' in check}>
        {check && 'result' in check && checkText(check.result)}
        {check && 'failure' in check && check.failure}
        {running && 'The first answer loads the model, which can take minutes.'}
      </p>
    </div>
  )
}
