import { done, ndjson, sse, tokens, type Expected, type Recording } from './recording.ts'

const read = { name: 'read_file', arguments: { path: 'a' } }
const list = { name: 'list_dir', arguments: {} }

export interface Spoken {
  dialect: string
  text: string
  expected: Expected
  source: string
}

/** Dialects of calls in text, as models write them when the server does not parse them. */
export const spoken: Spoken[] = [
  {
    dialect: 'Hermes, Qwen 2.5 and 3',
    text: '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>\n<tool_call>\n{"name": "list_dir", "arguments": {}}\n</tool_call>',
    expected: { calls: [read, list] },
    source: 'chat template of Qwen2.5-7B-Instruct; vLLM `hermes`',
  },
  {
    dialect: 'Qwen3-Coder',
    text: '<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>',
    expected: { calls: [read] },
    source: 'chat template of Qwen3-Coder-30B-A3B-Instruct; vLLM `qwen3_xml`',
  },
  {
    dialect: 'Qwen3-Coder, outer tag lost',
    text: 'Let me see.\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>',
    expected: { text: 'Let me see.\n', calls: [read] },
    source: 'QwenLM/Qwen3-Coder, reports on tool calls',
  },
  {
    dialect: 'Seed-OSS',
    text: '<seed:think>Hm.</seed:think><seed:tool_call>\n<function=read_file>\n<parameter=path>a</parameter>\n</function>\n</seed:tool_call>',
    expected: { reasoning: 'Hm.', calls: [read] },
    source: 'chat template of Seed-OSS-36B-Instruct; vLLM `seed_oss`',
  },
  {
    dialect: 'Llama 3.1 JSON',
    text: '<|python_tag|>{"name": "read_file", "parameters": {"path": "a"}}<|eom_id|>',
    expected: { calls: [read] },
    source: 'llama-models, Llama 3.1 prompt format',
  },
  {
    dialect: 'Llama 3.1 JSON, mark lost',
    text: '{"name": "read_file", "parameters": {"path": "a"}}',
    expected: { calls: [read] },
    source: 'vLLM `llama3_json`',
  },
  {
    dialect: 'Llama 3.1 function tags',
    text: '<function=read_file>{"path": "a"}</function>',
    expected: { calls: [read] },
    source: 'llama-models, custom tool calling',
  },
  {
    dialect: 'Llama 3.2 pythonic',
    text: '[read_file(path="a"), list_dir()]',
    expected: { calls: [read, list] },
    source: 'llama-models, Llama 3.2 prompt format; vLLM `pythonic`',
  },
  {
    dialect: 'Llama 4',
    text: '<|python_start|>[read_file(path="a")]<|python_end|>',
    expected: { calls: [read] },
    source: 'vLLM `llama4_pythonic`',
  },
  {
    dialect: 'LFM2',
    text: '<|tool_call_start|>[read_file(path="a")]<|tool_call_end|>',
    expected: { calls: [read] },
    source: 'model card of LFM2-1.2B-Tool',
  },
  {
    dialect: 'Mistral 7B to Nemo',
    text: '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}}]',
    expected: { calls: [read] },
    source: 'mistral-common, tokenizers v3 to v7',
  },
  {
    dialect: 'Devstral, Mistral Small 3.2',
    text: '[TOOL_CALLS]read_file[CALL_ID]abcdefghi[ARGS]{"path": "a"}[TOOL_CALLS]list_dir[ARGS]{}',
    expected: { calls: [read, list] },
    source: 'mistral-common, tokenizers v11 and v13',
  },
  {
    dialect: 'Magistral',
    text: '[THINK]Hm.[/THINK]Looking.[TOOL_CALLS]read_file[ARGS]{"path": "a"}',
    expected: { reasoning: 'Hm.', text: 'Looking.', calls: [read] },
    source: 'chat template of Magistral-Small-2509',
  },
  {
    dialect: 'DeepSeek V3, R1',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    expected: { calls: [read] },
    source: 'chat template of DeepSeek-V3-0324; vLLM `deepseek_v3`',
  },
  {
    dialect: 'DeepSeek V3.1',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    expected: { calls: [read] },
    source: 'model card of DeepSeek-V3.1; vLLM `deepseek_v31`',
  },
  {
    dialect: 'DeepSeek V3.2',
    text: '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    expected: { calls: [read] },
    source: 'encoding notes of DeepSeek-V3.2',
  },
  {
    dialect: 'Kimi K2',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>',
    expected: { calls: [read] },
    source: 'tool calling guide of Kimi-K2-Instruct; vLLM `kimi_k2`',
  },
  {
    dialect: 'GLM 4.5 to 4.7',
    text: '<think>Hm.</think>\n<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
    expected: { reasoning: 'Hm.', text: '\n', calls: [read] },
    source: 'chat template of GLM-4.5; vLLM `glm45`',
  },
  {
    dialect: 'gpt-oss (harmony)',
    text: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a"}<|call|>',
    expected: { reasoning: 'Hm.', calls: [read] },
    source: "OpenAI's harmony response format",
  },
  {
    dialect: 'gpt-oss, the answer',
    text: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>It is done.<|return|>',
    expected: { reasoning: 'Hm.', text: 'It is done.' },
    source: "OpenAI's harmony response format",
  },
  {
    dialect: 'Granite 3',
    text: '<|tool_call|>[{"name": "read_file", "arguments": {"path": "a"}}]',
    expected: { calls: [read] },
    source: 'chat template of granite-3.3-8b-instruct; vLLM `granite`',
  },
  {
    dialect: 'Phi-4 mini',
    text: '<|tool_calls|>[{"name": "read_file", "arguments": {"path": "a"}}]<|/tool_calls|>',
    expected: { calls: [read] },
    source: 'model card of Phi-4-mini-instruct',
  },
  {
    dialect: 'Hunyuan',
    text: '<tool_calls>[{"name": "read_file", "arguments": {"path": "a"}}]</tool_calls>',
    expected: { calls: [read] },
    source: 'vLLM `hunyuan_a13b`',
  },
  {
    dialect: 'Nemotron Nano',
    text: '<TOOLCALL>[{"name": "read_file", "arguments": {"path": "a"}}]</TOOLCALL>',
    expected: { calls: [read] },
    source: 'model card of NVIDIA-Nemotron-Nano-9B-v2',
  },
  {
    dialect: 'MiniMax M2',
    text: '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>\n</minimax:tool_call>',
    expected: { calls: [read] },
    source: 'tool calling guide of MiniMax-M2',
  },
  {
    dialect: 'Command R7B',
    text: '<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "read_file", "parameters": {"path": "a"}},\n    {"tool_call_id": "1", "tool_name": "list_dir", "parameters": {}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>',
    expected: { reasoning: 'Hm.', calls: [read, list] },
    source: 'chat template of c4ai-command-r7b-12-2024 (llama.cpp, models/templates)',
  },
  {
    dialect: 'Command R7B, the answer',
    text: '<|START_RESPONSE|>It is done.<|END_RESPONSE|><|END_OF_TURN_TOKEN|>',
    expected: { text: 'It is done.' },
    source: 'chat template of c4ai-command-r7b-12-2024 (llama.cpp, models/templates)',
  },
  {
    dialect: 'Command A, the answer in its own tokens',
    text: '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>Hm.<|END_THINKING|><|START_TEXT|>It is done.<|END_TEXT|><|END_OF_TURN_TOKEN|>',
    expected: { reasoning: 'Hm.', text: 'It is done.' },
    source: 'chat templates of Command A and its successors',
  },
  {
    dialect: 'ReAct',
    text: 'Thought: I look.\nAction: read_file\nAction Input: {"path": "a"}\nObservation: The file says hello.\nFinal Answer: Hello.',
    expected: { text: 'Thought: I look.\n', calls: [read] },
    source: 'ReAct prompts of LangChain and Qwen-Agent; small models with tools in the prompt',
  },
  {
    dialect: 'ReAct, a bare value for the only required parameter',
    text: 'Action: read_file\nAction Input: a\nObservation: hello',
    expected: { calls: [read] },
    source: 'ReAct prompts of LangChain',
  },
  {
    dialect: 'ReAct words in prose',
    text: 'Thought: agents.\nAction: nothing\nAction Input: none\nObservation: fine.',
    expected: { text: 'Thought: agents.\nAction: nothing\nAction Input: none\nObservation: fine.' },
    source: 'own: the action is no offered tool',
  },
  {
    dialect: 'reasoning whose opening tag is in the prompt',
    text: 'I should look first.\n</think>\n\nIt is done.',
    expected: { reasoning: 'I should look first.\n', text: '\n\nIt is done.' },
    source: 'chat templates of DeepSeek R1 and Qwen3-Thinking, which end the prompt with `<think>`',
  },
  {
    dialect: 'FunctionGemma',
    text: '<start_function_call>call:read_file{path:<escape>a<escape>}<end_function_call><start_function_call>call:list_dir{}<end_function_call>',
    expected: { calls: [read, list] },
    source: 'model card of functiongemma-270m-it; vLLM `functiongemma`',
  },
  {
    dialect: 'Gemma 4',
    text: '<|channel>thought\nHm.<channel|><|tool_call>call:read_file{path:<|"|>a<|"|>}<tool_call|><|tool_call>call:list_dir{}<tool_call|><turn|>',
    expected: { reasoning: 'Hm.', calls: [read, list] },
    source: 'chat template of Gemma 4 (llama.cpp, models/templates/gemma4.jinja); vLLM `gemma4`',
  },
  {
    dialect: 'OLMo 3',
    text: '<function_calls>\nread_file(path="a")\nlist_dir()\n</function_calls>',
    expected: { calls: [read, list] },
    source: 'vLLM `olmo3`',
  },
  {
    dialect: 'Phi-4 mini, `functools`',
    text: 'functools[{"name": "read_file", "arguments": {"path": "a"}}, {"name": "list_dir", "arguments": {}}]',
    expected: { calls: [read, list] },
    source: 'vLLM `phi4_mini_json` and its chat template for Phi-4 mini',
  },
  {
    dialect: 'InternLM 2',
    text: 'I look.<|action_start|><|plugin|>\n{"name": "read_file", "parameters": {"path": "a"}}<|action_end|><|im_end|>',
    expected: { text: 'I look.', calls: [read] },
    source: 'InternLM, chat format of InternLM2; vLLM `internlm`',
  },
  {
    dialect: 'Granite 20B',
    text: '<function_call> {"name": "read_file", "arguments": {"path": "a"}}\n<function_call> {"name": "list_dir", "arguments": {}}',
    expected: { calls: [read, list] },
    source: 'vLLM `granite-20b-fc`',
  },
  {
    dialect: 'LongCat, JSON',
    text: '<longcat_think>Hm.</longcat_think><longcat_tool_call>{"name": "read_file", "arguments": {"path": "a"}}</longcat_tool_call>',
    expected: { reasoning: 'Hm.', calls: [read] },
    source: 'vLLM `longcat`; model card of LongCat-Flash-Thinking',
  },
  {
    dialect: 'LongCat, keys and values',
    text: '<longcat_tool_call>read_file\n<longcat_arg_key>path</longcat_arg_key>\n<longcat_arg_value>a</longcat_arg_value>\n</longcat_tool_call></longcat_s>',
    expected: { calls: [read] },
    source: 'reports on LongCat-Flash-Chat (Vercel AI SDK community); not its own template',
  },
  {
    dialect: 'Step 3',
    text: '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="read_file"><steptml:parameter name="path">a</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    expected: { calls: [read] },
    source: 'vLLM `step3`, SGLang `step3_detector.py`',
  },
  {
    dialect: 'Apertus',
    text: '<|inner_prefix|>Hm.<|inner_suffix|><|tools_prefix|>[{"read_file": {"path": "a"}}, {"list_dir": {}}]<|tools_suffix|><|assistant_end|>',
    expected: { reasoning: 'Hm.', calls: [read, list] },
    source: 'vLLM `apertus`, SGLang `apertus2509_detector.py`, llama.cpp (Apertus format)',
  },
  {
    dialect: 'Functionary 3.2',
    text: '>>>all\nI look.>>>read_file\n{"path": "a"}>>>list_dir\n{}<|eot_id|>',
    expected: { text: 'I look.', calls: [read, list] },
    source: 'MeetKai/functionary, v3.llama3.txt; llama.cpp, functionary-v3-2.cpp',
  },
  {
    dialect: 'Functionary 3.2, the first mark in the prompt',
    text: 'read_file\n{"path": "a"}>>>list_dir\n{}',
    expected: { calls: [read, list] },
    source: 'MeetKai/functionary, v3.llama3.txt',
  },
  {
    dialect: 'Functionary 3.1',
    text: '<function=read_file>{"path": "a"}</function><function=list_dir>{}</function><|eom_id|>',
    expected: { calls: [read, list] },
    source: 'MeetKai/functionary, v3-llama3.1.txt',
  },
  {
    dialect: 'Functionary 2',
    text: 'all\n<|content|>I look.\n<|from|>assistant\n<|recipient|>read_file\n<|content|>{"path": "a"}<|stop|>',
    expected: { text: 'I look.\n\n', calls: [read] },
    source: 'MeetKai/functionary, prompt_template_v2.py',
  },
  {
    dialect: 'GigaChat 3',
    text: 'I look.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "read_file", "arguments": {"path": "a"}}<|message_sep|>',
    expected: { text: 'I look.', calls: [read] },
    source: 'chat template of GigaChat3-10B-A1.8B (llama.cpp, models/templates); llama.cpp, gigachat-v3.cpp',
  },
  {
    dialect: 'GigaChat 3, its token',
    text: '<|function_call|>{"name": "read_file", "arguments": {"path": "a"}}</s>',
    expected: { calls: [read] },
    source: 'vLLM `gigachat3`',
  },
  {
    dialect: 'GigaChat 3.5',
    text: '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="read_file">\n<｜GCML｜parameter name="path" string="true">a</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>',
    expected: { calls: [read] },
    source: 'vLLM `gigachat35`',
  },
  {
    dialect: 'DeepSeek V4',
    text: '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls><｜end▁of▁sentence｜>',
    expected: { calls: [read] },
    source: 'DeepSeek V4, the tools prompt of its encoding notes',
  },
  {
    dialect: 'unclosed reasoning',
    text: '<think>I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
    expected: { reasoning: 'I look.\n', calls: [read] },
    source: 'QwenLM/Qwen3, reports on calls inside unclosed reasoning',
  },
  {
    dialect: 'gpt-oss, the recipient before the channel',
    text: ' to=functions.read_file<|channel|>analysis <|constrain|>json<|message|>{"path": "a"}<|call|>',
    expected: { calls: [read] },
    source: "OpenAI's harmony response format; llama.cpp's parser of gpt-oss",
  },
  {
    dialect: 'special tokens between words',
    text: 'So [TOOL_CALLS]read_file[ARGS]{"path": "a"}[/TOOL_CALLS] then.',
    expected: { text: 'So then.', calls: [read] },
    source: 'mistral-common: `[TOOL_CALLS]` is a token of its own',
  },
  {
    dialect: 'several objects in one envelope',
    text: '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n{"name": "list_dir", "arguments": {}}\n</tool_call>',
    expected: { calls: [read, list] },
    source: 'variations of the Hermes format by small models',
  },
  {
    dialect: 'a list without an envelope',
    text: '[{"name": "read_file", "arguments": {"path": "a"}}, {"name": "list_dir", "arguments": {}}]',
    expected: { calls: [read, list] },
    source: 'vLLM `xlam`; small models with tools in the prompt',
  },
  {
    dialect: 'tokens after an answer',
    text: 'It is done.<|im_end|>\n<｜end▁of▁sentence｜><|eot_id|><end_of_turn><|return|>',
    expected: { text: 'It is done.\n' },
    source: 'reports on stop words that a server does not know',
  },
  {
    dialect: 'Gemma 3',
    text: '```tool_code\nread_file(path="a")\n```',
    expected: { calls: [read] },
    source: "Google's guide on function calling with Gemma",
  },
  {
    dialect: 'fenced JSON, one call and nothing else',
    text: '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
    expected: { calls: [read] },
    source: 'small models with tools in the prompt',
  },
  {
    dialect: 'an unknown tool',
    text: '<tool_call>\n{"name": "reed_file", "arguments": {"path": "a"}}\n</tool_call>',
    expected: { calls: [{ name: 'reed_file', arguments: { path: 'a' } }] },
    source: 'own: the executor suggests the nearest name',
  },
  {
    dialect: 'a truncated call',
    text: '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "content": "fun',
    expected: { calls: [{ name: 'write_file', arguments: '{"path": "a", "content": "fun' }] },
    source: 'own: the executor rejects it',
  },
  {
    dialect: 'JSON in prose',
    text: 'The call is {"name": "read_file", "arguments": {"path": "a"}}',
    expected: { text: 'The call is {"name": "read_file", "arguments": {"path": "a"}}' },
    source: 'own',
  },
]

const finish = (expected: Expected): Expected => ({ ...expected, finish: expected.calls ? 'tool_calls' : 'stop' })

/** Each dialect through both protocols. */
export const dialects: Recording[] = spoken.flatMap(({ dialect, text, expected, source }): Recording[] => [
  {
    server: 'calls in text',
    shape: dialect,
    protocol: 'openai',
    body: sse(
      ...tokens(text).map((content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      done,
    ),
    expected: finish(expected),
    source,
  },
  {
    server: 'calls in text',
    shape: dialect,
    protocol: 'ollama',
    body: ndjson(...tokens(text).map((content) => ({ message: { role: 'assistant', content }, done: false })), {
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'stop',
    }),
    expected: finish(expected),
    source,
  },
])
