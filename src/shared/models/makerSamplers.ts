import type { ModelOptions } from '../settings/settings.ts'

/** Options of a model that choose the next token. */
export type Samplers = Pick<
  ModelOptions,
  'temperature' | 'topP' | 'topK' | 'minP' | 'presencePenalty' | 'repeatPenalty'
>

/** Samplers as the makers publish them, on the model's page or in its `generation_config.json`. The first match counts. */
const families: readonly {
  name: RegExp
  /** A word that the name also contains. */
  also?: string
  maker: string
  samplers: Samplers
}[] = [
  // First, because the names of its distilled models also contain those of others.
  { name: /deepseek-?r1/, maker: 'DeepSeek', samplers: { temperature: 0.6, topP: 0.95 } },
  {
    name: /qwen-?3-?coder/,
    maker: 'Qwen',
    samplers: { temperature: 0.7, topP: 0.8, topK: 20, repeatPenalty: 1.05 },
  },
  // Since 3.5 for precise work, such as code. Their general advice is a temperature of 1.
  {
    name: /qwen-?3\.[5-9]/,
    maker: 'Qwen',
    samplers: { temperature: 0.6, topP: 0.95, topK: 20, minP: 0, presencePenalty: 0 },
  },
  {
    name: /qwen-?3(?!\d)/,
    also: 'instruct',
    maker: 'Qwen',
    samplers: { temperature: 0.7, topP: 0.8, topK: 20, minP: 0 },
  },
  { name: /qwen-?3(?!\d)|qwq/, maker: 'Qwen', samplers: { temperature: 0.6, topP: 0.95, topK: 20, minP: 0 } },
  {
    name: /qwen-?2\.5/,
    maker: 'Qwen',
    samplers: { temperature: 0.7, topP: 0.8, topK: 20, repeatPenalty: 1.05 },
  },
  { name: /gemma-?[34]/, maker: 'Google', samplers: { temperature: 1, topP: 0.95, topK: 64, minP: 0 } },
  { name: /gpt-?oss/, maker: 'OpenAI', samplers: { temperature: 1, topP: 1 } },
  { name: /magistral/, maker: 'Mistral', samplers: { temperature: 0.7, topP: 0.95 } },
  { name: /devstral|mistral-?small/, maker: 'Mistral', samplers: { temperature: 0.15 } },
  { name: /(?<![a-z])llama-?3(?!\d)/, maker: 'Meta', samplers: { temperature: 0.6, topP: 0.9 } },
  { name: /smollm-?3/, maker: 'Hugging Face', samplers: { temperature: 0.6, topP: 0.95 } },
  { name: /smollm-?2/, maker: 'Hugging Face', samplers: { temperature: 0.2, topP: 0.9 } },
]

/**
 * Returns the samplers that the maker of a model publishes, by the model's name.
 * @returns undefined for other models
 */
export function makerSamplers(model: string): { maker: string; samplers: Samplers } | undefined {
  const name = model
    .toLowerCase()
    .slice(0, 300)
    .replaceAll(/[_ :/]/g, '-')
  return families.find((family) => family.name.test(name) && name.includes(family.also ?? ''))
}
