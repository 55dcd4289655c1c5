import type { Features } from '../../base/features.ts'
import { ToolError } from '../../../shared/errors.ts'
import type { ToolsetName } from '../../../shared/tools/risk.ts'
import { argumentsObject, readArguments, type ParsedArguments } from './coerceArguments.ts'
import { adaptCall, foreignCapability } from './foreignCalls.ts'
import { foldName, similarTools, toolsByCapability } from './foreignTools.ts'
import { signature } from '../schema/toolSchema.ts'
import type { Tool } from '../common/toolDefinition.ts'

/** The tools that a call can resolve to. */
export interface CallableTools {
  toolset: ToolsetName
  /** Callable tools, without those that are turned off. */
  tools: readonly Tool[]
  /** Finds a tool by exact name or alias. @throws ToolError unknown_tool, switched_off */
  find(name: string): Tool
}

/** The tool and the arguments that a call resolves to. */
export interface ResolvedCall extends ParsedArguments {
  tool: Tool
  /** Describes changes to the call, for the model and the user. Absent if only the spelling changed. */
  note?: string
  /** Set if the call was inside another one (`Tool.standsFor`). */
  inner?: true
}

/**
 * Finds a tool by name, ignoring case, punctuation and a prefix such as `functions.`, or by the name of an equivalent
 * tool in another agent.
 * @throws ToolError unknown_tool with the closest tool, switched_off
 */
export function resolveTool(callable: CallableTools, name: string): Tool {
  try {
    return callable.find(name)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'unknown_tool') throw error
    const same = findByFoldedName(callable, name)
    if (same) return same
    const capability = foreignCapability(name)
    const own = capability && toolsByCapability[capability][callable.toolset]
    if (own !== undefined) return callable.find(own)
    throw suggestSimilarTool(error, callable, name)
  }
}

/**
 * Resolves the tool and arguments of a call. Tool and parameter names of other agents are translated if their meaning
 * is certain. Throws the errors of `readArguments`, `resolveTool` and `Tool.standsFor`.
 * @param nested the call is part of another, which was approved by tool name only
 */
export function resolveCall(
  callable: CallableTools,
  name: string,
  raw: unknown,
  repairs: Pick<Features, 'repair' | 'coerce'>,
  nested: boolean,
): ResolvedCall {
  const resolved = resolveNamed(callable, name, raw, repairs, nested)
  const inner = resolved.tool.standsFor?.(resolved.values)
  if (!inner) return resolved
  const called = resolveNamed(callable, inner.name, inner.arguments, repairs, nested)
  return { ...called, repaired: called.repaired || resolved.repaired, inner: true }
}

function resolveNamed(
  callable: CallableTools,
  name: string,
  raw: unknown,
  repairs: Pick<Features, 'repair' | 'coerce'>,
  nested: boolean,
): ResolvedCall {
  if (!repairs.repair) {
    const tool = callable.find(name)
    return { tool, ...readArguments(tool, raw, repairs) }
  }
  const exact = findExactTool(callable, name)
  if (exact) return resolveOwnCall(callable, exact, raw, repairs)
  const args = parseIntactArguments(raw)
  const adapted =
    args && (!nested || foreignCapability(name) !== undefined) ? adaptCall(callable.toolset, name, args) : undefined
  if (adapted) {
    const tool = callable.find(adapted.name)
    return {
      tool,
      values: readArguments(tool, adapted.args, repairs).values,
      repaired: true,
      note: `"${name}" was called; "${tool.name}" ran.`,
    }
  }
  const tool = resolveTool(callable, name)
  // The arguments are not translated, so errors name the parameters of the tool that runs.
  return {
    tool,
    ...readArguments(tool, raw, repairs),
    repaired: true,
    note: `"${name}" was called; "${tool.name}" ran.`,
  }
}

function findExactTool(callable: CallableTools, name: string): Tool | undefined {
  try {
    return callable.find(name)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'unknown_tool') return findByFoldedName(callable, name)
    throw error
  }
}

/**
 * Resolves a call by the toolset's own name. Parameter names of another agent are used only if the tool's own do not
 * match.
 */
function resolveOwnCall(
  callable: CallableTools,
  tool: Tool,
  raw: unknown,
  repairs: Pick<Features, 'repair' | 'coerce'>,
): ResolvedCall {
  try {
    return { tool, ...readArguments(tool, raw, repairs) }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'invalid_arguments') throw error
    const args = parseIntactArguments(argumentsObject(tool, raw, repairs).values)
    const adapted = args && adaptCall(callable.toolset, tool.name, args)
    if (!adapted) throw error
    try {
      const other = callable.find(adapted.name)
      const { values } = readArguments(other, adapted.args, repairs)
      return {
        tool: other,
        values,
        repaired: true,
        ...(other === tool ? {} : { note: `"${tool.name}" was called with parameters of "${other.name}", which ran.` }),
      }
    } catch (second) {
      // The error of the called tool is more useful than that of another tool.
      if (adapted.name !== tool.name && second instanceof ToolError && second.code === 'invalid_arguments') throw error
      throw second
    }
  }
}

function findByFoldedName({ tools }: CallableTools, name: string): Tool | undefined {
  const wanted = foldName(name)
  const same = tools.filter((tool) => [tool.name, ...(tool.aliases ?? [])].some((own) => foldName(own) === wanted))
  return same.length === 1 ? same[0] : undefined
}

/** Returns arguments that need no repair. Others are left to the tool's own parser. */
function parseIntactArguments(raw: unknown): Readonly<Record<string, unknown>> | undefined {
  let value = raw
  if (typeof raw === 'string') {
    try {
      value = JSON.parse(raw)
    } catch {
      // `readArguments` repairs or refuses broken JSON.
      return undefined
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined
}

function suggestSimilarTool(error: ToolError, { toolset, tools }: CallableTools, name: string): ToolError {
  const capability = foreignCapability(name)
  const near = tools.find((tool) => tool.name === (capability && similarTools[capability]?.[toolset]))
  return near
    ? new ToolError('unknown_tool', error.message, `Use ${near.name}, the closest tool. It takes ${signature(near)}.`)
    : error
}
