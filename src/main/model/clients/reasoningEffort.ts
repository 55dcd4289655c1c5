import { reasoningEfforts, type ReasoningEffort } from '../../../shared/settings/settings.ts'
import type { LocalServer } from '../transport/localServers.ts'

// How much a model thinks, in the words that it knows. Servers accept more words than a template, which ignores the
// others, takes them for its highest one (GLM-5.3) or fails (Qwen3.8).

/** The efforts of a family, by the name of its models. */
interface EffortFamily {
  name: RegExp
  efforts: readonly ReasoningEffort[]
  /** Whether the model can answer without thinking, by a switch of its template. */
  canTurnOff: boolean
  /** The variable of the template. Default: `reasoning_effort`. */
  variable?: string
}

const families: readonly EffortFamily[] = [
  // "Unexpected reasoning effort high. Supported types are xhigh (default), medium, and low.": QwenLM/Qwen3.8#217.
  { name: /qwen-?3\.[89](?!\d)/, efforts: ['low', 'medium', 'xhigh'], canTurnOff: true },
  // api-docs.deepseek.com/guides/thinking_mode, and both templates in llama.cpp's models/templates.
  { name: /deepseek-?v?4(?!\d)/, efforts: ['low', 'high', 'max'], canTurnOff: true },
  // Its template takes every other word for the highest one: vllm-project/recipes#852, osaurus-ai/vmlx-swift#441.
  { name: /glm-?5\.[3-9]/, efforts: ['low', 'high', 'max'], canTurnOff: false },
  // "accepts two levels: max and high": github.com/zai-org/GLM-5.
  { name: /glm-?5\.2/, efforts: ['high', 'max'], canTurnOff: true },
  // mistral.ai/news/mistral-small-4. Medium 3.5 has the same two.
  { name: /mistral-?small-?(4(?!\d)|2603)|mistral-?medium-?3[.-]5/, efforts: ['none', 'high'], canTurnOff: true },
  // openai/harmony. vLLM refuses the others: vllm-project/vllm#40982.
  { name: /gpt-?oss/, efforts: ['low', 'medium', 'high'], canTurnOff: false },
  // llama.cpp's models/templates/Kimi-K3.jinja, which fails for the others.
  { name: /kimi-?k3/, efforts: ['low', 'high', 'max'], canTurnOff: true, variable: 'thinking_effort' },
  // llama.cpp's models/templates/upstage-Solar-Open-100B.jinja.
  { name: /solar-?open/, efforts: ['minimal', 'low', 'high'], canTurnOff: false },
]

/** Values of `think` of Ollama's /api/chat: ollama/ollama#15787. Ollama maps them for each model itself. */
export const ollamaEfforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'max']

/** What decides how an effort is sent. */
export interface EffortTarget {
  /** The name of the model, or of the file behind its alias. */
  model: string
  server?: LocalServer | undefined
  learned?: LearnedEfforts | undefined
}

/** The efforts that a server named when it refused another one. */
export interface LearnedEfforts {
  /** Those of the field `reasoning_effort`, or Ollama's `think`. */
  field?: readonly ReasoningEffort[]
  /** Those of the template, if they are not the ones of its family. */
  template?: readonly ReasoningEffort[]
}

export function isEffort(think: unknown): think is ReasoningEffort {
  return reasoningEfforts.some((effort) => effort === think)
}

/**
 * Returns the effort to send for the one that the user chose: the nearest that the model has. Of two that are equally
 * near it is the higher one, as vLLM maps for DeepSeek V4, and Unsloth's templates for Qwen3.8.
 * @param place where the request has it
 * @returns `off` if the model has no such word, but a switch
 */
export function effortFor(
  chosen: ReasoningEffort,
  target: EffortTarget,
  place: keyof LearnedEfforts,
): ReasoningEffort | 'off' {
  const efforts = knownEfforts(target, place)
  if (efforts === undefined || efforts.includes(chosen)) return chosen
  if (chosen === 'none' && familyOf(target.model)?.canTurnOff !== false) return 'off'
  return nearest(
    chosen,
    efforts.filter((effort) => effort !== 'none'),
  )
}

/** Returns the efforts to choose from; undefined if they are unknown. A field needs words that its template has too. */
function knownEfforts(
  { model, learned }: EffortTarget,
  place: keyof LearnedEfforts,
): readonly ReasoningEffort[] | undefined {
  const ofTemplate = learned?.template ?? familyOf(model)?.efforts
  if (ofTemplate === undefined || learned?.field === undefined) return ofTemplate ?? learned?.field
  if (place === 'template') return ofTemplate
  const common = learned.field.filter((effort) => ofTemplate.includes(effort))
  return common.some((effort) => effort !== 'none') ? common : learned.field
}

/** Returns the effort of these that is nearest to another; the higher one of two. */
export function nearest(chosen: ReasoningEffort, efforts: readonly ReasoningEffort[]): ReasoningEffort {
  const order = (effort: ReasoningEffort) => reasoningEfforts.indexOf(effort)
  const distance = (effort: ReasoningEffort) => Math.abs(order(effort) - order(chosen))
  const sorted = efforts.toSorted((a, b) => distance(a) - distance(b) || order(b) - order(a))
  return sorted[0] ?? chosen
}

/**
 * Returns the variables of a chat template that turn thinking on or off. Each template knows one of the names:
 * `enable_thinking` (Qwen, GLM, Gemma, Nemotron), `thinking` (DeepSeek, Granite, Kimi).
 */
export function thinkingSwitch(isOn: boolean): Record<string, boolean> {
  return { enable_thinking: isOn, thinking: isOn }
}

/** Returns the variables of a chat template for an effort. They turn thinking on, because some templates do not think. */
export function effortVariables(effort: ReasoningEffort, model: string): Record<string, unknown> {
  const family = familyOf(model)
  // A template without the word "none" may fail on it.
  const isNamed = effort !== 'none' || family?.efforts.includes('none') === true
  return { ...thinkingSwitch(effort !== 'none'), ...(isNamed && { [family?.variable ?? 'reasoning_effort']: effort }) }
}

/** Reads the efforts that a server or template accepts from its refusal. Such a list may quote the refused one. */
export function namedEfforts(refusal: string): ReasoningEffort[] {
  const [, list = ''] =
    /\b(?:supported (?:types|values|levels|settings)|supports|must be|should be|one of|allowed|valid|expected)\b(.{1,200})/is.exec(
      refusal,
    ) ?? []
  const words = new Set(list.toLowerCase().match(/\b(none|minimal|low|medium|high|xhigh|max)\b/g))
  return reasoningEfforts.filter((effort) => words.has(effort))
}

/**
 * Returns whether a server refuses the variables of a template, whatever they are: vLLM renders the prompts of Mistral's
 * models with mistral-common ("chat_template is not supported for Mistral tokenizers.": linagora/openrag#335).
 */
export function refusesTemplateOptions({ model, server }: EffortTarget): boolean {
  return server === 'vllm' && /(mi|mini|dev|magi|code|math|lean)stral|(mix|pix|vox)tral/.test(plainName(model))
}

/** Returns the effort that turns thinking on or off where no switch can; undefined if the model has none for it. */
export function switchEffort(isOn: boolean, target: EffortTarget): ReasoningEffort | undefined {
  const efforts = knownEfforts(target, 'field')
  if (!efforts?.includes('none')) return undefined
  return isOn ? efforts.at(-1) : 'none'
}

function familyOf(model: string): EffortFamily | undefined {
  const name = plainName(model)
  return families.find((family) => family.name.test(name))
}

function plainName(model: string): string {
  return model
    .toLowerCase()
    .slice(0, 300)
    .replaceAll(/[_ :/]/g, '-')
}
