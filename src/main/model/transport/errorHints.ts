import { assumedWindow } from '../../../shared/contextAllocation.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { likelyServer, type LocalServer } from '../endpoints/knownServers.ts'

// What a user can do, in the words and options of the server at hand.

/** As much of an endpoint as a remedy needs. */
export interface HintTarget {
  /** What it turned out to be; absent: what its port makes probable. */
  server?: LocalServer
  kind: 'openai' | 'ollama'
  baseUrl: string
  model?: string
}

/** How a user widens the model's window, per server. A sentence. */
export function contextWindowHint(target: HintTarget): string {
  switch (target.server ?? likelyServer(target)) {
    case 'ollama':
      return target.kind === 'ollama'
        ? "Raise this endpoint's context window in the settings (Ollama's num_ctx)."
        : 'Add this server as an Ollama endpoint, so that its context window (num_ctx) can be set: its /v1 cuts prompts silently.'
    case 'lmstudio':
      return 'Load the model with a larger "Context Length" in LM Studio.'
    case 'llamacpp':
      return `Start llama-server with a larger window, for example \`-c ${assumedWindow}\`.`
    case 'vllm':
      return 'Start vLLM with a larger `--max-model-len`.'
    case 'sglang':
      return 'Start SGLang with a larger `--context-length`.'
    case 'koboldcpp':
      return 'Start KoboldCpp with a larger `--contextsize`.'
    case 'jan':
      return "Raise the model's context size in Jan's model settings."
    case undefined:
      return 'Give the server a larger window (llama-server `-c`, vLLM `--max-model-len`, LM Studio "Context Length").'
  }
}

/** How a user brings a server up that does not answer. A sentence. */
export function startServerHint(target: HintTarget): string {
  switch (target.server ?? likelyServer(target)) {
    case 'ollama':
      return 'Start Ollama (`ollama serve`), or correct the address in the settings.'
    case 'lmstudio':
      return "Start the server in LM Studio's Developer tab (`lms server start`), or correct the address in the settings."
    case 'llamacpp':
      return 'Start llama-server (`llama-server -m MODEL.gguf --jinja`), or correct the address in the settings.'
    case 'vllm':
      return 'Start vLLM (`vllm serve MODEL`) and wait until it has loaded the model, or correct the address in the settings.'
    case 'sglang':
      return 'Start SGLang (`sglang serve --model-path MODEL`) and wait until it has loaded the model, or correct the address in the settings.'
    case 'koboldcpp':
      return 'Start KoboldCpp with a model, or correct the address in the settings.'
    case 'jan':
      return "Start Jan's local API server, or correct the address in the settings."
    case undefined:
      return 'Start the model server, or correct the address in the settings.'
  }
}

/** What to do where a model is missing. A sentence. */
export function missingModelHint(target: HintTarget): string {
  if ((target.server ?? likelyServer(target)) === 'ollama')
    return `Run \`ollama pull ${target.model ?? 'MODEL'}\`, or pick another model.`
  if ((target.server ?? likelyServer(target)) === 'lmstudio')
    return 'Download or load the model in LM Studio, or pick another model.'
  return 'Pick a model that the server offers, or start the server with this one.'
}

/** What to do where a model cannot call tools. A sentence. */
export function toolSupportHint(target: HintTarget): string {
  switch (target.server ?? likelyServer(target)) {
    case 'ollama':
      return 'Pick a model with the "tools" capability, for example `ollama pull qwen3`.'
    case 'llamacpp':
      return 'Start llama-server with `--jinja`, or use a model whose chat template knows tools.'
    case 'sglang':
      return 'Start SGLang with `--tool-call-parser NAME`.'
    case 'vllm':
      return 'Start vLLM with `--enable-auto-tool-choice --tool-call-parser NAME`.'
    default:
      return 'Pick a model that supports tool calls (function calling).'
  }
}

/** A prompt that a server cut without a word: what happened, and what helps. @param cut in tokens */
export function promptCutWarning(
  name: string,
  cut: { sent: number; read: number; window?: number },
  target: HintTarget,
): string {
  const window = cut.window === undefined ? '' : ` Its window holds ${formatNumber(cut.window)}.`
  return (
    `${name} read only ${formatNumber(cut.read)} of about ${plural(cut.sent, 'token')} and cut off the rest without a word, so the model does not ` +
    `see the whole conversation.${window} ${contextWindowHint(target)} Or start a new conversation.`
  )
}
