import type { ModelOptions } from '../settings/settings.ts'
import { isNonChatName } from './modelName.ts'

/** Options of a model that choose the next token. */
export type Samplers = Pick<
  ModelOptions,
  'temperature' | 'topP' | 'topK' | 'minP' | 'presencePenalty' | 'repeatPenalty'
>

interface Family {
  /** Matches the name in lower case, with hyphens for other separators. */
  name: RegExp
  /** A word that the name also contains. */
  also?: RegExp
  maker: string
  samplers: Samplers
  /**
   * With thinking turned off: other samplers, or 'unknown' if its maker publishes some that are not confirmed. Default:
   * the same.
   */
  withoutThinking?: Samplers | 'unknown'
  /** Where the maker publishes them, or who repeats the maker's words. */
  source: string
}

const qwen3Instruct: Samplers = { temperature: 0.7, topP: 0.8, topK: 20, minP: 0 }

/**
 * Samplers as the makers publish them, on the model's page or in its `generation_config.json`. The first match counts.
 * Not in the table, because no page of the maker confirms them: GLM-4.5, DeepSeek V3 and V3.1, Granite, Kimi K2 Thinking
 * and K3, Nemotron 3 Ultra, and Qwen3.5 and later without thinking.
 */
const families: readonly Family[] = [
  // First, because the names of its distilled models also contain those of others.
  {
    name: /deepseek-?r1/,
    maker: 'DeepSeek',
    samplers: { temperature: 0.6, topP: 0.95 },
    source: 'card of DeepSeek-R1',
  },
  {
    name: /deepseek-?v3[.-]?2/,
    maker: 'DeepSeek',
    samplers: { temperature: 1, topP: 0.95 },
    source: 'card of DeepSeek-V3.2, local deployment; sgl-project/sgl-cookbook',
  },
  {
    name: /deepseek-?v4(?!\d)/,
    also: /0731/,
    maker: 'DeepSeek',
    samplers: { temperature: 1, topP: 0.95 },
    source: 'card of DeepSeek-V4-Flash-0731, for agents; vllm-project/recipes',
  },
  {
    name: /deepseek-?v4(?!\d)/,
    maker: 'DeepSeek',
    samplers: { temperature: 1, topP: 1 },
    source: 'card of DeepSeek-V4; vllm-project/recipes',
  },
  {
    name: /qwen-?3-?coder-?next/,
    maker: 'Qwen',
    samplers: { temperature: 1, topP: 0.95, topK: 40 },
    source: 'card of Qwen3-Coder-Next; lmstudio.ai/qwen/qwen3-coder-next',
  },
  {
    name: /qwen-?3-?coder/,
    maker: 'Qwen',
    samplers: { temperature: 0.7, topP: 0.8, topK: 20, repeatPenalty: 1.05 },
    source: 'card of Qwen3-Coder-30B-A3B-Instruct',
  },
  {
    name: /qwen-?3\.[89]/,
    maker: 'Qwen',
    samplers: { temperature: 1, topP: 0.95, topK: 20, minP: 0 },
    withoutThinking: 'unknown',
    source: 'generation_config.json of Qwen3.8-27B; vllm-project/recipes',
  },
  {
    name: /qwen-?3\.[5-7]/,
    maker: 'Qwen',
    samplers: { temperature: 0.6, topP: 0.95, topK: 20, minP: 0, presencePenalty: 0 },
    withoutThinking: 'unknown',
    source: 'card of Qwen3.6-27B, for precise work such as code; its general advice is a temperature of 1',
  },
  {
    name: /qwen-?3-?vl/,
    also: /think/,
    maker: 'Qwen',
    samplers: { temperature: 0.6, topP: 0.95, topK: 20, presencePenalty: 0, repeatPenalty: 1 },
    source: 'github.com/QwenLM/Qwen3-VL, generation hyperparameters',
  },
  {
    name: /qwen-?3-?vl/,
    maker: 'Qwen',
    samplers: { temperature: 0.7, topP: 0.8, topK: 20, presencePenalty: 1.5, repeatPenalty: 1 },
    source: 'github.com/QwenLM/Qwen3-VL, generation hyperparameters',
  },
  {
    name: /qwen-?3(?!\d)/,
    also: /instruct/,
    maker: 'Qwen',
    samplers: qwen3Instruct,
    source: 'github.com/QwenLM/Qwen3, quickstart',
  },
  {
    name: /qwen-?3(?!\d)|qwq/,
    maker: 'Qwen',
    samplers: { temperature: 0.6, topP: 0.95, topK: 20, minP: 0 },
    withoutThinking: qwen3Instruct,
    source: 'github.com/QwenLM/Qwen3, quickstart; cards of Qwen3, non-thinking mode',
  },
  {
    name: /qwen-?2\.5/,
    maker: 'Qwen',
    samplers: { temperature: 0.7, topP: 0.8, topK: 20, repeatPenalty: 1.05 },
    source: 'generation_config.json of Qwen2.5-7B-Instruct',
  },
  {
    name: /glm-?5/,
    maker: 'Z.ai',
    samplers: { temperature: 1, topP: 0.95 },
    source: 'card of GLM-5.1; unsloth.ai/docs',
  },
  {
    name: /glm-?4\.[67]/,
    maker: 'Z.ai',
    samplers: { temperature: 1 },
    source: 'generation_config.json of GLM-4.7; github.com/zai-org/GLM-4.5, resources/glm_4.6_tir_guide.md',
  },
  {
    name: /minimax-?m[23]/,
    maker: 'MiniMax',
    samplers: { temperature: 1, topP: 0.95, topK: 40 },
    source: 'github.com/MiniMax-AI/MiniMax-M2; cards of MiniMax-M2.5 and M3',
  },
  {
    name: /kimi-?k2\.[5-9]/,
    maker: 'Moonshot AI',
    samplers: { temperature: 1, topP: 0.95 },
    withoutThinking: { temperature: 0.6, topP: 0.95 },
    source: 'cards of Kimi-K2.6 and K2.7-Code; sgl-project/sgl-cookbook, vllm-project/recipes',
  },
  {
    name: /kimi-?k2(?!\.)(?!.{0,100}think)/,
    maker: 'Moonshot AI',
    samplers: { temperature: 0.6 },
    source: 'github.com/MoonshotAI/Kimi-K2',
  },
  {
    name: /nemotron-?3-?nano-?omni/,
    maker: 'NVIDIA',
    samplers: { temperature: 0.6, topP: 0.95 },
    withoutThinking: { temperature: 0.2, topK: 1 },
    source: 'github.com/NVIDIA-NeMo/Nemotron, usage-cookbook/Nemotron-3-Nano-Omni',
  },
  {
    name: /nemotron-?3-?nano/,
    maker: 'NVIDIA',
    samplers: { temperature: 0.6, topP: 0.95 },
    source: 'card of Nemotron-3-Nano-30B-A3B, for tool calls; github.com/NVIDIA-NeMo/Nemotron, skills/nemotron-nano3',
  },
  {
    name: /nemotron-?3-?super|nemotron-?3\.5-?lightning/,
    maker: 'NVIDIA',
    samplers: { temperature: 1, topP: 0.95 },
    source: 'github.com/NVIDIA-NeMo/Nemotron, skills/nemotron-super3 and usage-cookbook/Nemotron-3.5-Lightning',
  },
  {
    name: /gemma-?[34]/,
    maker: 'Google',
    samplers: { temperature: 1, topP: 0.95, topK: 64, minP: 0 },
    source: 'cards of Gemma 3 and 4',
  },
  {
    name: /gpt-?oss/,
    maker: 'OpenAI',
    samplers: { temperature: 1, topP: 1 },
    source: 'github.com/openai/gpt-oss',
  },
  {
    name: /magistral/,
    maker: 'Mistral',
    samplers: { temperature: 0.7, topP: 0.95 },
    source: 'card of Magistral-Small-2509',
  },
  {
    name: /ministral-?3/,
    also: /reasoning/,
    maker: 'Mistral',
    samplers: { temperature: 0.7, topP: 0.95 },
    source: 'card of Ministral-3-14B-Reasoning-2512; vllm-project/recipes',
  },
  {
    name: /ministral-?3|mistral-?large-?3/,
    maker: 'Mistral',
    samplers: { temperature: 0.15 },
    source: 'cards of Ministral-3-14B-Instruct-2512 and Mistral-Large-3; vllm-project/recipes',
  },
  // Before the older ones of that name.
  {
    name: /mistral-?small-?(4(?!\d)|2603)|mistral-?medium-?3[.-]5/,
    maker: 'Mistral',
    samplers: { temperature: 0.7 },
    source: 'card of Mistral-Small-4-119B-2603, which has 0 to 0.7 without reasoning; vllm-project/recipes',
  },
  {
    name: /devstral|mistral-?small/,
    maker: 'Mistral',
    samplers: { temperature: 0.15 },
    source: 'cards of Mistral-Small-3.2 and Devstral-Small',
  },
  {
    name: /(?<![a-z])llama-?3(?!\d)/,
    maker: 'Meta',
    samplers: { temperature: 0.6, topP: 0.9 },
    source: 'generation_config.json of Llama-3.1-8B-Instruct',
  },
  {
    name: /smollm-?3/,
    maker: 'Hugging Face',
    samplers: { temperature: 0.6, topP: 0.95 },
    source: 'card of SmolLM3-3B',
  },
  {
    name: /smollm-?2/,
    maker: 'Hugging Face',
    samplers: { temperature: 0.2, topP: 0.9 },
    source: 'card of SmolLM2-135M-Instruct',
  },
]

/**
 * Returns the samplers that the maker of a model publishes, by the model's name.
 * @param think whether the model thinks, as the user set it
 * @returns undefined for other models, and for models that do not chat
 */
export function makerSamplers(
  model: string,
  think?: ModelOptions['think'],
): Pick<Family, 'maker' | 'samplers' | 'source'> | undefined {
  if (isNonChatName(model)) return undefined
  const name = model
    .toLowerCase()
    .slice(0, 300)
    .replaceAll(/[_ :/]/g, '-')
  const family = families.find((each) => each.name.test(name) && (each.also?.test(name) ?? true))
  if (family === undefined) return undefined
  const { maker, samplers, withoutThinking = samplers, source } = family
  if (think !== 'off' && think !== 'none') return { maker, samplers, source }
  return withoutThinking === 'unknown' ? undefined : { maker, samplers: withoutThinking, source }
}
