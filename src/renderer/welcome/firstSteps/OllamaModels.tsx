import { formatSize } from '../../../shared/text/formatSize.ts'
import type { ModelDownload } from '../../../shared/models/firstSteps.ts'
import type { EndpointStatus } from '../../../shared/settings/settings.ts'
import { attempt } from '../../platform/notices.ts'
import { Button } from '../../ui/index.ts'
import { cancelDownload, downloadModel, useFirstSteps } from './firstStepsStore.ts'
import { bestFit, memoryNeeded, recommendedModels, type RecommendedModel } from './recommendedModels.ts'

function Progress({ download }: { download: ModelDownload }) {
  const { model, status, completed, total } = download
  const label = total > 0 ? `${formatSize(completed)} of ${formatSize(total)}` : status
  return (
    <div className="model-download">
      <progress aria-label={`Downloading ${model}`} {...(total > 0 && { value: completed, max: total })} />
      <span>{label}</span>
      <Button size="small" onClick={() => attempt(() => cancelDownload(download))}>
        Cancel
      </Button>
    </div>
  )
}

interface ModelRowProps {
  endpoint: EndpointStatus
  model: RecommendedModel
  recommended: boolean
}

function ModelRow({ endpoint, model: { id, size, suits }, recommended }: ModelRowProps) {
  const memory = useFirstSteps((state) => state.machine?.memory)
  const download = useFirstSteps((state) => state.downloads[id])
  const failure = useFirstSteps((state) => state.failures[id])
  const installed = endpoint.models.some((model) => model.id === id)
  const needed = memoryNeeded(size)
  const tooLarge = memory !== undefined && needed > memory
  return (
    <li data-too-large={tooLarge}>
      <div className="model-row">
        <span className="model-row-text">
          <strong>{id}</strong> {recommended && <span className="model-row-badge">Recommended</span>}
          <span>
            {`${suits}. Download size: ${formatSize(size)}. Requires about ${formatSize(needed)} of memory.`}
            {memory !== undefined && tooLarge && ` This machine has ${formatSize(memory)}.`}
          </span>
        </span>
        {installed ? (
          <span className="model-row-installed">Installed</span>
        ) : (
          !download && (
            <Button
              size="small"
              variant={recommended ? 'primary' : 'default'}
              icon="cloud-download"
              aria-label={`Download ${id}`}
              onClick={() => void downloadModel(endpoint.endpoint.id, id)}
            >
              Download
            </Button>
          )
        )}
      </div>
      {download && <Progress download={download} />}
      {failure !== undefined && (
        <p className="model-row-failure" role="alert">
          {failure}
        </p>
      )}
    </li>
  )
}

/** Models that Ollama can download, with their sizes compared to the machine's memory. */
export function OllamaModels({ endpoint }: { endpoint: EndpointStatus }) {
  const memory = useFirstSteps((state) => state.machine?.memory)
  const best = memory === undefined ? undefined : bestFit(memory)
  return (
    <ul className="model-rows" aria-label="Models to download">
      {recommendedModels.map((model) => (
        <ModelRow key={model.id} endpoint={endpoint} model={model} recommended={model === best} />
      ))}
    </ul>
  )
}
