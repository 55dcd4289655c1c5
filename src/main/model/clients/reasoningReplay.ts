import type { ModelInfo, ReasoningReplay } from '../../../shared/settings/settings.ts'

/**
 * Models that need the reasoning before their calls in the history, according to their templates or vendors. Without
 * it, they start planning again after each result.
 */
const modelsWithReplay: readonly { model: RegExp; source: string }[] = [
  {
    model: /gpt-?oss/i,
    source: "OpenAI's notes on raw chains of thought: include until the final answer, then drop",
  },
  { model: /deepseek-?v?3[.-]?2|deepseek-?v?4/i, source: "DeepSeek's guide on thinking mode with tool calls" },
  {
    model: /qwen-?3(?!.{0,100}(coder|instruct))|qwq/i,
    source: "Qwen3's chat template keeps the reasoning after the last question",
  },
  { model: /glm-?(4\.[5-9]|5)/i, source: "GLM-4.5's chat template, Z.ai's guide on interleaved thinking" },
  { model: /minimax-?m[2-9]/i, source: "MiniMax' guide on interleaved thinking" },
  { model: /kimi-?k2-?thinking|kimi-?k2\.[5-9]|kimi-?k3/i, source: 'model card and chat template of Kimi-K2-Thinking' },
]

/**
 * Models whose templates keep all reasoning if `preserve_thinking` is set. Without it, each user message changes the
 * prompt from the start of the previous turn on, and the recurrent layers of these models recompute all of it
 * (llama.cpp#22746).
 */
const modelsWithPreservedReasoning = /qwen-?3[.-]?[6-9](?!\d{0,3}b)(?!.{0,100}(coder|instruct))/i

/** Where chat templates read the reasoning of a message. */
const readsReasoning = /(?:\.|['"])(?:reasoning_content|reasoning|thinking)\b/

/**
 * Returns the reasoning to send back to a model: what its template uses, otherwise decided by its name.
 * @param info as its server reports it
 */
export function reasoningReplay(model: string, info?: Pick<ModelInfo, 'reasoning' | 'originalName'>): ReasoningReplay {
  if (info?.reasoning !== undefined) return info.reasoning
  const name = info?.originalName ?? model
  if (modelsWithPreservedReasoning.test(name)) return 'conversation'
  return modelsWithReplay.some((entry) => entry.model.test(name)) ? 'turn' : 'none'
}

/**
 * Returns the reasoning that a chat template uses.
 * @param preserves whether it can keep all reasoning, which llama-server reports since 2026
 */
export function templateReplay(template: string, preserves: boolean | undefined, model: string): ReasoningReplay {
  if (preserves) return 'conversation'
  if (!readsReasoning.test(template)) return 'none'
  return preserves === undefined && modelsWithPreservedReasoning.test(model) ? 'conversation' : 'turn'
}
