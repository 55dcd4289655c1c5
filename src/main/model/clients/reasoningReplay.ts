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
 * Models whose templates keep all reasoning if `preserve_thinking` is set. Without it, each message of the user changes
 * the prompt where the previous turn begins. The recurrent layers of these models then compute all of it again
 * (llama.cpp#22746).
 */
const modelsWithPreservedReasoning = /qwen-?3[.-]?([6-9])(?!.{0,100}(coder|instruct))/i

/**
 * The reasoning that a model gets back. `turn`: that of the calls since the last message of the user. `conversation`:
 * all, because the template keeps it.
 */
export type ReasoningReplay = 'none' | 'turn' | 'conversation'

/** Returns the reasoning that a model gets back, by the name in its server's list. */
export function reasoningReplay(model: string): ReasoningReplay {
  if (modelsWithPreservedReasoning.test(model)) return 'conversation'
  return modelsWithReplay.some((entry) => entry.model.test(model)) ? 'turn' : 'none'
}
