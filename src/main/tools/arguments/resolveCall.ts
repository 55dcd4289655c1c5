import type { Features } from '../../../shared/features.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { ToolsetName } from '../../../shared/risk.ts'
import { givenArguments, readArguments, type ParsedArguments } from './coerceArguments.ts'
import { adaptCall, foreignAbility } from './foreignCalls.ts'
import { folded, nearTools, ownTools } from './foreignTools.ts'
import { signature } from '../schema/toolSchema.ts'
import type { Tool } from '../tool.ts'

/** A toolset as calls see it. */
export interface CallableTools {
  toolset: ToolsetName
  /** What can be called, tools that are switched off left out. */
  tools: readonly Tool[]
  /** By exact name or alias. Throws `unknown_tool`, `switched_off`. */
  find(name: string): Tool
}

export interface ResolvedCall extends ParsedArguments {
  tool: Tool
  /** What was changed of the call, for the model and the user; absent where it is only notation. */
  note?: string
}

/**
 * The tool that a name means: its own, the one that differs only in case, marks or a prefix such as `functions.`, or the one that does
 * what another system's tool of this name does. Throws `unknown_tool` naming what comes nearest, and `switched_off`.
 */
export function resolveTool(callable: CallableTools, name: string): Tool {
  try {
    return callable.find(name)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'unknown_tool') throw error
    const same = sameName(callable, name)
    if (same) return same
    const ability = foreignAbility(name)
    const own = ability && ownTools[ability][callable.toolset]
    if (own !== undefined) return callable.find(own)
    throw withNearTool(error, callable, name)
  }
}

/**
 * The tool and the arguments of a call, other systems' names and parameters repaired where their meaning is certain.
 * @param nested the call is a part of another, which was judged by its name alone
 * Throws what `readArguments` and `resolveTool` throw.
 */
export function resolveCall(
  callable: CallableTools,
  name: string,
  raw: unknown,
  forgiving: Pick<Features, 'repair' | 'coerce'>,
  nested: boolean,
): ResolvedCall {
  if (!forgiving.repair) {
    const tool = callable.find(name)
    return { tool, ...readArguments(tool, raw, forgiving) }
  }
  const exact = exactTool(callable, name)
  if (exact) return ownCall(callable, exact, raw, forgiving)
  const args = plainArguments(raw)
  const adapted =
    args && (!nested || foreignAbility(name) !== undefined) ? adaptCall(callable.toolset, name, args) : undefined
  if (adapted) {
    const tool = callable.find(adapted.name)
    return {
      tool,
      values: readArguments(tool, adapted.args, forgiving).values,
      repaired: true,
      note: `"${name}" was called; "${tool.name}" ran.`,
    }
  }
  const tool = resolveTool(callable, name)
  // The error then names the tool's own parameters.
  return {
    tool,
    ...readArguments(tool, raw, forgiving),
    repaired: true,
    note: `"${name}" was called; "${tool.name}" ran.`,
  }
}

function exactTool(callable: CallableTools, name: string): Tool | undefined {
  try {
    return callable.find(name)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'unknown_tool') return sameName(callable, name)
    throw error
  }
}

/** A call by the toolset's own name; parameters of another system only where its own do not fit. */
function ownCall(
  callable: CallableTools,
  tool: Tool,
  raw: unknown,
  forgiving: Pick<Features, 'repair' | 'coerce'>,
): ResolvedCall {
  try {
    return { tool, ...readArguments(tool, raw, forgiving) }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'invalid_arguments') throw error
    const args = plainArguments(givenArguments(tool, raw, forgiving).values)
    const adapted = args && adaptCall(callable.toolset, tool.name, args)
    if (!adapted) throw error
    try {
      const other = callable.find(adapted.name)
      const { values } = readArguments(other, adapted.args, forgiving)
      return {
        tool: other,
        values,
        repaired: true,
        ...(other === tool ? {} : { note: `"${tool.name}" was called with parameters of "${other.name}", which ran.` }),
      }
    } catch (second) {
      // What the called tool itself says is of more use than what another one does.
      if (adapted.name !== tool.name && second instanceof ToolError && second.code === 'invalid_arguments') throw error
      throw second
    }
  }
}

function sameName({ tools }: CallableTools, name: string): Tool | undefined {
  const wanted = folded(name)
  const same = tools.filter((tool) => [tool.name, ...(tool.aliases ?? [])].some((own) => folded(own) === wanted))
  return same.length === 1 ? same[0] : undefined
}

/** Arguments that need no repair of their own; the rest is for the tool's own reader. */
function plainArguments(raw: unknown): Readonly<Record<string, unknown>> | undefined {
  let value = raw
  if (typeof raw === 'string') {
    try {
      value = JSON.parse(raw)
    } catch {
      // Broken JSON: `readArguments` repairs or refuses it, with the words of the tool.
      return undefined
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined
}

function withNearTool(error: ToolError, { toolset, tools }: CallableTools, name: string): ToolError {
  const ability = foreignAbility(name)
  const near = tools.find((tool) => tool.name === (ability && nearTools[ability]?.[toolset]))
  return near
    ? new ToolError(
        'unknown_tool',
        error.message,
        `Use ${near.name}, which comes nearest. It takes ${signature(near)}.`,
      )
    : error
}
