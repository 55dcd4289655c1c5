/**
 * Tokens that chat templates write around turns and calls. Servers with wrong stop words, or that do not hide special
 * tokens, return them. They are never part of an answer. Sources: the chat templates and tokenizers on the model cards.
 */
export const endTokens: readonly string[] = [
  // ChatML: Qwen, Yi, InternLM, Kimi, Hermes
  '<|im_end|>',
  '<|im_start|>assistant',
  '<|im_start|>',
  '<|endoftext|>',
  '<|action_end|>',
  // Llama 3 and 4
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end_of_text|>',
  '<|begin_of_text|>',
  '<|start_header_id|>assistant<|end_header_id|>',
  '<|eot|>',
  '<|eom|>',
  '<|python_end|>',
  // Gemma
  '<end_of_turn>',
  '<start_of_turn>model',
  '<start_of_turn>',
  '<turn|>',
  '<|turn>model',
  '<end_function_call>',
  '<tool_call|>',
  '<|channel>',
  '<channel|>',
  // harmony, Phi
  '<|return|>',
  '<|call|>',
  '<|end|>',
  '<|start|>',
  '<|/tool_call|>',
  '<|/tool_calls|>',
  // DeepSeek, Step
  '<｜end▁of▁sentence｜>',
  '<｜begin▁of▁sentence｜>',
  '<｜Assistant｜>',
  '<｜User｜>',
  '<|end▁of▁sentence|>',
  '<|end_of_sentence|>',
  ...['｜▁', '|▁', '|_', '｜_'].flatMap(([bar = '', gap = '']) =>
    ['begin', 'end'].map((end) => `<${bar}tool${gap}calls${gap}${end}${bar}>`),
  ),
  // GLM, Granite, Command R7B, Kimi, LFM2
  '<|user|>',
  '<|assistant|>',
  '<|observation|>',
  '<|start_of_role|>assistant<|end_of_role|>',
  '<|end_of_role|>',
  '<|END_OF_TURN_TOKEN|>',
  '<|START_OF_TURN_TOKEN|>',
  '<|CHATBOT_TOKEN|>',
  '<|USER_TOKEN|>',
  '<|SYSTEM_TOKEN|>',
  '<|START_TEXT|>',
  '<|END_TEXT|>',
  '<|START_TOOL_RESULT|>',
  '<|END_TOOL_RESULT|>',
  '<|START_RESPONSE|>',
  '<|END_RESPONSE|>',
  '<|END_THINKING|>',
  '<|END_ACTION|>',
  '<|tool_calls_section_begin|>',
  '<|tool_calls_section_end|>',
  '<|tool_call_end|>',
  // Mistral
  '[/TOOL_CALLS]',
  // Apertus, GigaChat, Functionary, LongCat, Seed-OSS, EXAONE
  '<|assistant_end|>',
  '<|tools_suffix|>',
  '<|inner_suffix|>',
  '<|message_sep|>',
  '<|stop|>',
  '<|from|>assistant',
  '<|from|>',
  '<|recipient|>',
  '</longcat_s>',
  '<seed:eos>',
  '[|endofturn|]',
]

/** Tokens that are also HTML tags, so they are dropped only at the end of an answer. */
export const trailingTokens: readonly string[] = ['</s>', '<eos>']
