/**
 * Models that want what they thought back while they work through calls: their templates or makers say that without it they plan anew
 * after each result. All others get their history without thoughts. Between two messages of the user's nobody wants old ones.
 */
const wanting: readonly { model: RegExp; source: string }[] = [
  {
    model: /gpt-?oss/i,
    source: "OpenAI's notes on raw chains of thought: passed back until the final answer, then dropped",
  },
  { model: /deepseek-?v?3[.-]?2|deepseek-?v?4/i, source: "DeepSeek's guide on thinking mode with tool calls" },
  {
    model: /qwen-?3(?!.{0,100}(coder|instruct))|qwq/i,
    source: "Qwen3's chat template: thoughts after the last question stay",
  },
  { model: /glm-?(4\.[5-9]|5)/i, source: "GLM-4.5's chat template, Z.ai's guide on interleaved thinking" },
  { model: /minimax-?m[2-9]/i, source: "MiniMax' guide on interleaved thinking" },
  { model: /kimi-?k2-?thinking|kimi-?k2\.[5-9]|kimi-?k3/i, source: 'model card and chat template of Kimi-K2-Thinking' },
]

/** Whether a model, by its name as servers list it, wants its thoughts back within a turn. */
export function wantsReasoning(model: string): boolean {
  return wanting.some((entry) => entry.model.test(model))
}
