import type { ToolsetName } from './risk.ts'
import type { Settings } from './settings.ts'

export interface ToolsetSuggestion {
  toolset: ToolsetName
  /** The family, as its makers name it. */
  family: string
  /** One sentence: what this family knows, e.g. for a tooltip. */
  why: string
}

interface Family extends ToolsetSuggestion {
  /** Matched against the name in lower case, where a word begins. */
  names: RegExp
}

/**
 * Which tools a family of models is known to be at home with. Only what its makers publish stands here: the tools of their own
 * agent, or the one they document it for. Which tools a model really saw in training nobody outside knows, so this is a
 * suggestion, and a family without such a source gets none.
 */
const families: readonly Family[] = [
  {
    // github.com/openai/gpt-oss brings apply_patch as one of the model's tools; github.com/openai/codex uses the same envelope.
    names: /gpt-oss|codex|gpt-5/,
    toolset: 'rusty',
    family: 'gpt-oss and Codex',
    why: 'They write patches in the *** Begin Patch envelope.',
  },
  {
    // docs.anthropic.com, Claude Code: Read, Write, Edit, Bash, Grep.
    names: /claude/,
    toolset: 'ultrasushitron',
    family: 'Claude',
    why: 'Claude Code names its tools Read, Write, Edit, Bash and Grep.',
  },
  {
    // docs.z.ai (GLM from 4.5), platform.moonshot.ai (Kimi K2), platform.minimax.io (MiniMax M2): each documents Claude Code as an
    // agent for it.
    names: /glm-?(?:4\.[5-9]|[5-9])|kimi-?k[2-9]|minimax-?m[2-9]/,
    toolset: 'ultrasushitron',
    family: 'GLM, Kimi and MiniMax',
    why: 'Their makers offer them for Claude Code: Read, Write, Edit, Bash and Grep.',
  },
  {
    // qwenlm.github.io/qwen-code-docs, tools: read_file, write_file, edit, grep_search, list_directory. Blade's are the nearest.
    names: /(?:code)?qwen-?(?:\d(?:\.\d+)?-)?coder/,
    toolset: 'blade',
    family: 'Qwen Coder',
    why: 'Qwen Code names its tools read_file, write_file and grep_search, as Blade does.',
  },
]

/**
 * The toolset a model's name suggests, e.g. for `openai/gpt-oss-20b`, `gpt-oss:20b` or a GGUF file's name; undefined where the
 * family is not known. Separators do not matter: `Kimi_K2`, `kimi-k2` and `kimi k2` are one.
 */
export function suggestToolset(model: string): ToolsetSuggestion | undefined {
  const name = model.toLowerCase().replaceAll(/[_\s]+/g, '-')
  const known = families.find(({ names }) => new RegExp(`(?:^|[^a-z0-9])(?:${names.source})`).test(name))
  return known && { toolset: known.toolset, family: known.family, why: known.why }
}

/** The toolset of a new conversation when nobody names one. */
export function defaultToolset(
  settings: Pick<Settings, 'toolset' | 'suggestToolset'>,
  model: string | undefined,
): ToolsetName {
  return (
    (settings.suggestToolset && model !== undefined ? suggestToolset(model)?.toolset : undefined) ?? settings.toolset
  )
}
