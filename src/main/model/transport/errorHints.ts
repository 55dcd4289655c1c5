import { assumedWindow } from '../../../shared/agent/contextAllocation.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { ModelInfo } from '../../../shared/settings/settings.ts'
import { likelyServer, type LocalServer } from './localServers.ts'

// Hints for users, with the names of each server's options. Options that are already set are not suggested.

/** The fields of an endpoint that a hint depends on. */
export interface HintTarget {
  /** The detected server. Default: the one that usually listens on this port. */
  server?: LocalServer | undefined
  kind: 'openai' | 'ollama' | 'gguf'
  baseUrl: string
  model?: string | undefined
  /** The server's report about the model, with the user's settings applied. */
  info?: Pick<ModelInfo, 'tools' | 'contextWindow' | 'trainedWindow'> | undefined
  /** Number of slots of llama-server. */
  slots?: number | undefined
  /** Context size in the user's settings, in tokens. */
  configuredWindow?: number | undefined
}

/** Returns one sentence about how to increase the context size. */
export function contextWindowHint(target: HintTarget): string {
  const { contextWindow: window, trainedWindow: trained } = target.info ?? {}
  if (window !== undefined && trained !== undefined && window >= trained)
    return `The model was trained for ${plural(trained, 'token')}: select one with a larger context size.`
  if (target.kind === 'gguf') return 'Increase the context window of this endpoint in the settings.'
  if (target.kind === 'openai' && target.configuredWindow !== undefined && target.configuredWindow === window)
    return "Increase the context size in the endpoint's settings, if the server has a larger one."
  switch (target.server ?? likelyServer(target)) {
    case 'ollama':
      return target.kind === 'ollama'
        ? "Increase this endpoint's context size in the settings (Ollama's num_ctx)."
        : 'Add this server as an Ollama endpoint to set its context size (num_ctx): its /v1 API truncates prompts silently.'
    case 'lmstudio':
      return 'Load the model with a larger "Context Length" in LM Studio.'
    case 'llamacpp':
      if ((target.slots ?? 1) > 1)
        return 'Start llama-server with a larger context (`-c`), or with fewer slots to share it (`-np`).'
      return `Start llama-server with a larger context, for example \`-c ${Math.min(Math.max(assumedWindow, 2 * (window ?? 0)), trained ?? Infinity)}\`.`
    case 'vllm':
      return 'Start vLLM with a larger `--max-model-len`.'
    case 'sglang':
      return 'Start SGLang with a larger `--context-length`.'
    case 'koboldcpp':
      return 'Start KoboldCpp with a larger `--contextsize`.'
    case 'jan':
      return "Increase the model's context size in Jan's model settings."
    case undefined:
      return 'Start the server with a larger context (llama-server `-c`, vLLM `--max-model-len`, LM Studio "Context Length").'
  }
}

/** Returns one sentence about how to start the server. */
export function startServerHint(target: HintTarget): string {
  switch (target.server ?? likelyServer(target)) {
    case 'ollama':
      return 'Start Ollama (`ollama serve`), or correct the address in the settings.'
    case 'lmstudio':
      return "Start the server in LM Studio's Developer tab (`lms server start`), or correct the address in the settings."
    case 'llamacpp':
      return 'Start llama-server (`llama-server -m MODEL.gguf --jinja`), or correct the address in the settings.'
    case 'vllm':
      return 'Start vLLM (`vllm serve MODEL`) and wait until the model is loaded, or correct the address in the settings.'
    case 'sglang':
      return 'Start SGLang (`sglang serve --model-path MODEL`) and wait until the model is loaded, or correct the address in the settings.'
    case 'koboldcpp':
      return 'Start KoboldCpp with a model, or correct the address in the settings.'
    case 'jan':
      return "Start Jan's local API server, or correct the address in the settings."
    case undefined:
      return 'Start the model server, or correct the address in the settings.'
  }
}

/** Returns one sentence about how to make the model available. */
export function missingModelHint(target: HintTarget): string {
  if ((target.server ?? likelyServer(target)) === 'ollama')
    return `Run \`ollama pull ${target.model ?? 'MODEL'}\`, or select another model.`
  if ((target.server ?? likelyServer(target)) === 'lmstudio')
    return 'Download or load the model in LM Studio, or select another model.'
  return 'Select a model that the server lists, or start the server with this one.'
}

/**
 * Returns one sentence about how to enable tool calls.
 * @param refusal the server's words when it refused the tools of a request. Default: it accepted them, so the options
 *   that it demands are set
 */
export function toolSupportHint(target: HintTarget, refusal?: string): string {
  const otherTemplate = (server: string, option: string) =>
    `Use a model whose chat template supports tools, or start ${server} with such a template (\`${option} FILE\`).`
  switch (target.server ?? likelyServer(target)) {
    case 'ollama':
      return 'Select a model with the "tools" capability, for example `ollama pull qwen3`.'
    case 'llamacpp':
      // Versions that report the capabilities of a template refuse tools where `--jinja` is off.
      if (refusal !== undefined && /--jinja/.test(refusal)) return 'Start llama-server with `--jinja`.'
      return target.info?.tools === undefined
        ? 'Start llama-server with `--jinja`, or use a model whose chat template supports tools.'
        : otherTemplate('llama-server', '--chat-template-file')
    case 'sglang':
      return refusal === undefined
        ? otherTemplate('SGLang', '--chat-template')
        : 'Start SGLang with `--tool-call-parser NAME`.'
    case 'vllm':
      return refusal === undefined
        ? otherTemplate('vLLM', '--chat-template')
        : 'Start vLLM with `--enable-auto-tool-choice --tool-call-parser NAME`.'
    default:
      return 'Select a model that supports tool calls (function calling).'
  }
}

/** Returns one sentence about what to do if the server cannot parse the calls that the model writes. */
export function unreadableCallsHint(target: HintTarget): string {
  switch (target.server ?? likelyServer(target)) {
    case 'sglang':
      return 'Start SGLang with the `--tool-call-parser` for this model.'
    case 'vllm':
      return 'Start vLLM with the `--tool-call-parser` for this model.'
    case 'llamacpp':
      return 'A newer llama-server, or another chat template (`--chat-template-file FILE`), may read them.'
    default:
      return 'A newer version of the server, or another model, may help.'
  }
}
