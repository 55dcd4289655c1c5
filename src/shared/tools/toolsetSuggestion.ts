import type { ToolsetName } from './risk.ts'

export interface ToolsetSuggestion {
  toolset: ToolsetName
  /** Name of the model family. */
  family: string
  /** Reason for the suggestion as one sentence, for a tooltip. */
  why: string
}

interface Family extends ToolsetSuggestion {
  /** Matches the lower-case model name from the start of a word. */
  names: RegExp
}

/**
 * Toolsets by model family, based on published documentation: the tools of the maker's own agent, or of an agent that
 * the maker recommends. The tools used in training are not public, so this is a suggestion. Families without such a
 * source are not listed.
 */
const families: readonly Family[] = [
  {
    // github.com/openai/gpt-oss includes apply_patch in the model's tools; github.com/openai/codex uses the same
    // format.
    names: /gpt-oss|codex|gpt-5/,
    toolset: 'rusty',
    family: 'gpt-oss and Codex',
    why: 'These models write patches in the *** Begin Patch format.',
  },
  {
    // docs.anthropic.com, Claude Code: Read, Write, Edit, Bash, Grep.
    names: /claude/,
    toolset: 'ultrasushitron',
    family: 'Claude',
    why: 'Claude Code names its tools Read, Write, Edit, Bash and Grep.',
  },
  {
    // docs.z.ai (GLM from 4.5), platform.moonshot.ai (Kimi K2), platform.minimax.io (MiniMax M2): each documents how to
    // use its models with Claude Code.
    names: /glm-?(?:4\.[5-9]|[5-9])|kimi-?k[2-9]|minimax-?m[2-9]/,
    toolset: 'ultrasushitron',
    family: 'GLM, Kimi and MiniMax',
    why: 'Their makers support Claude Code, which has Read, Write, Edit, Bash and Grep.',
  },
  {
    // qwenlm.github.io/qwen-code-docs: read_file, write_file, edit, grep_search, list_directory. Blade has the most
    // similar tools.
    names: /(?:code)?qwen-?(?:\d(?:\.\d+)?-)?coder/,
    toolset: 'blade',
    family: 'Qwen Coder',
    why: 'Qwen Code names its tools read_file, write_file and grep_search, like Blade.',
  },
]

/**
 * Suggests a toolset for a model name such as `openai/gpt-oss-20b`, `gpt-oss:20b` or a GGUF file name. Ignores
 * separators: `Kimi_K2`, `kimi-k2` and `kimi k2` are equal.
 * @returns undefined for an unknown family
 */
export function suggestToolset(model: string): ToolsetSuggestion | undefined {
  const name = model.toLowerCase().replaceAll(/[_\s]+/g, '-')
  const known = families.find(({ names }) => new RegExp(`(?:^|[^a-z0-9])(?:${names.source})`).test(name))
  return known && { toolset: known.toolset, family: known.family, why: known.why }
}

/**
 * Returns the toolset for a new conversation: the suggested one if enabled and known, otherwise the one in the
 * settings.
 */
export function defaultToolset(
  settings: { toolset: ToolsetName; suggestToolset: boolean },
  model: string | undefined,
): ToolsetName {
  return (
    (settings.suggestToolset && model !== undefined ? suggestToolset(model)?.toolset : undefined) ?? settings.toolset
  )
}
