import { toFailure } from '../../shared/errors.ts'
import type { ModelCheck } from '../../shared/models/firstSteps.ts'
import { firstUsableModel, noModelReason } from '../../shared/models/firstUsableModel.ts'
import { serverGuides } from '../../shared/models/serverGuides.ts'
import type { EndpointStatus, ModelInfo } from '../../shared/settings/settings.ts'
import { plural } from '../../shared/text/plural.ts'
import { findProgramByName, searchPathOf } from '../base/programSearch.ts'
import { contextWindowHint, startServerHint, toolSupportHint, type HintTarget } from '../model/transport/errorHints.ts'
import { serverByName } from '../model/transport/localServers.ts'
import type { Core } from './coreContract.ts'
import type { Finding } from './finding.ts'

/** A turn with tools and one file fits in no smaller context. */
const smallestContext = 4096
/** A conversation of a few turns with files fits in no smaller context. */
const comfortableContext = 16_384

/**
 * Lists the servers that run or are in the settings, with what they drop of a request as far as they report it.
 * @param ask whether each gets one question that needs a tool
 */
export async function modelServerFindings(core: Core, ask: boolean, signal: AbortSignal): Promise<Finding[]> {
  const statuses = (await core.handlers['endpoints.list']({ probe: true }, signal)).filter(
    ({ endpoint }) => endpoint.kind !== 'tour',
  )
  const findings: Finding[] = []
  for (const status of statuses) findings.push(...(await serverFindings(core, status, ask, signal)))
  if (firstUsableModel(statuses) === undefined)
    findings.push({ group: 'Model servers', name: 'Model', state: 'wrong', ...noModelAdvice(statuses) })
  return findings
}

/** Explains why there is no model. A server from the settings that is stopped has to be started, not replaced. */
function noModelAdvice(statuses: readonly EndpointStatus[]): Pick<Finding, 'detail' | 'fix'> {
  const { message, next } = noModelReason(statuses)
  const [stopped] = statuses
  if (stopped === undefined)
    return {
      detail: message,
      fix: `${ollamaCommands(process.platform)} Other servers: "First steps" in the Help menu.`,
    }
  if (statuses.some(({ reachable }) => reachable)) return { detail: message, fix: next }
  return {
    detail: `${stopped.endpoint.name} does not respond.`,
    fix: 'Start it, or correct its address in the settings.',
  }
}

async function serverFindings(
  core: Core,
  status: EndpointStatus,
  ask: boolean,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { endpoint, reachable, models, problem } = status
  const base = { group: 'Model servers' as const, name: endpoint.name }
  if (!reachable || problem !== undefined) return [{ ...base, state: 'wrong', ...problemText(status) }]
  const choice = firstUsableModel([status])
  const model = models.find(({ id }) => id === choice?.model)
  if (model === undefined) {
    const { message, next } = noModelReason([status])
    return [{ ...base, state: 'wrong', detail: message, fix: next }]
  }
  const window = model.loadedWindow ?? model.contextWindow
  const facts = [
    endpoint.baseUrl,
    plural(models.length, 'model'),
    ...(window === undefined ? [] : [`${model.id} has a context of ${plural(window, 'token')}`]),
  ].join(', ')
  if (window !== undefined && window < smallestContext)
    return [
      {
        ...base,
        state: 'wrong',
        detail: `${facts}. That is too small for a turn with tools.`,
        fix: contextWindowHint(hintTarget(status, model)),
      },
    ]
  if (ask) return [await askedFinding(core, status, model, facts, signal), ...contextFindings(status, model)]
  const tools = toolsFinding(status, model)
  return [
    { ...base, state: 'ok', detail: `${facts}.` },
    ...(tools === undefined ? [] : [tools]),
    ...contextFindings(status, model),
  ]
}

/** A problem names what to do itself, unless the server does not run. */
function problemText(status: EndpointStatus): Pick<Finding, 'detail' | 'fix'> {
  const { endpoint, problem = `There is no response from ${endpoint.baseUrl}.` } = status
  const start = startServerHint(hintTarget(status))
  if (status.problem === undefined || problem.endsWith(start))
    return { detail: problem.replace(start, '').trim(), fix: start }
  return { detail: problem }
}

/** Asks a model to call a tool. */
async function askedFinding(
  { handlers }: Core,
  { endpoint }: EndpointStatus,
  model: ModelInfo,
  facts: string,
  signal: AbortSignal,
): Promise<Finding> {
  const base = { group: 'Model servers' as const, name: endpoint.name }
  try {
    const check = await handlers['models.check']({ endpointId: endpoint.id, model: model.id }, signal)
    return { ...base, ...checkResult(check, model.id), detail: `${facts}. ${callTexts[check.calls]}` }
  } catch (error) {
    signal.throwIfAborted()
    const { message, next } = toFailure(error)
    return { ...base, state: 'wrong', detail: message, fix: next }
  }
}

/** What is known about tools without a request: from /props, /api/show or /v1/models. */
function toolsFinding(status: EndpointStatus, model: ModelInfo): Finding | undefined {
  const { endpoint } = status
  const base = { group: 'Model servers' as const, name: `${endpoint.name}, tools`, state: 'missing' as const }
  const target = hintTarget(status, model)
  if (endpoint.kind === 'gguf' || model.guided || model.tools === true) return undefined
  if (model.tools === false)
    return {
      ...base,
      detail: `The server drops them for ${model.id}, as it reports. Tizona describes them in the prompt, which works less well.`,
      fix: toolSupportHint(target),
    }
  if (target.server !== 'vllm' && target.server !== 'sglang' && target.server !== 'llamacpp') return undefined
  return {
    ...base,
    detail: 'The server does not report whether it accepts them. "tizona doctor --models" asks it.',
    fix: `If it does not: ${toolSupportHint(target, '')}`,
  }
}

/** What a server cuts off. */
function contextFindings(status: EndpointStatus, model: ModelInfo): Finding[] {
  const { endpoint } = status
  const target = hintTarget(status, model)
  const base = { group: 'Model servers' as const, name: `${endpoint.name}, context`, state: 'missing' as const }
  if (endpoint.kind === 'openai' && target.server === 'ollama')
    return [
      {
        ...base,
        detail: 'Through /v1, Ollama drops the beginning of long prompts without an error.',
        fix: contextWindowHint(target),
      },
    ]
  const window = model.loadedWindow ?? model.contextWindow
  const isTrainedForMore = model.trainedWindow === undefined || model.trainedWindow > (window ?? 0)
  return window !== undefined && window < comfortableContext && isTrainedForMore
    ? [
        {
          ...base,
          detail: `${plural(window, 'token')} hold a few short turns. Then Tizona summarizes the conversation.`,
          fix: contextWindowHint(target),
        },
      ]
    : []
}

function hintTarget({ endpoint, server, slots }: EndpointStatus, model?: ModelInfo): HintTarget {
  const { kind, baseUrl, contextWindow } = endpoint
  return {
    kind: kind === 'tour' ? 'openai' : kind,
    baseUrl,
    server: serverByName(server),
    model: model?.id,
    info: model,
    slots,
    configuredWindow: contextWindow,
  }
}

const callTexts: Readonly<Record<ModelCheck['calls'], string>> = {
  native: 'The model calls tools through the API.',
  text: 'The server leaves tools out, or the model writes calls as text. Tizona reads them from the text.',
  guided: 'The model is too small to call tools. Tizona asks it step by step, which is enough for small changes.',
  cut: 'The answer was cut before the model called a tool, because it thinks for long or its context is full.',
  none: 'The model was asked to call a tool, and did not.',
}

function checkResult({ calls, hint }: ModelCheck, model: string): Pick<Finding, 'state' | 'fix'> {
  // What the server drops is the likelier reason.
  if (hint !== undefined && calls !== 'native') return { state: calls === 'none' ? 'wrong' : 'ok', fix: hint }
  switch (calls) {
    case 'none':
      return { state: 'wrong', fix: `Try another model than ${model}, or see "tizona check-model".` }
    case 'cut':
      return {
        state: 'wrong',
        fix: 'Run "tizona check-model", which gives the model tasks, or choose one that thinks less.',
      }
    default:
      return { state: 'ok' }
  }
}

/** The quickest way to a model. Ollama's installer starts it, except that of Homebrew. */
function ollamaCommands(platform: string): string {
  const pull = 'run "ollama pull qwen3:8b"'
  if (findProgramByName('ollama', searchPathOf(process.env)) !== undefined)
    return `Start Ollama with "ollama serve", and ${pull}.`
  const [ollama] = serverGuides(platform)
  const install = ollama && 'command' in ollama.install ? ollama.install.command : ''
  return platform === 'darwin'
    ? `Install Ollama with "${install}", start it with "ollama serve", and ${pull}.`
    : `Install Ollama with "${install}", which also starts it, and ${pull}.`
}
