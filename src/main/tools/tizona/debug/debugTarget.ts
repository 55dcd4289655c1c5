import { z } from 'zod'
import type { DebugTarget } from '../../../../shared/debug/debugRequests.ts'
import { ToolError } from '../../../../shared/errors.ts'
import { quoteWord } from '../../../base/quoteWord.ts'
import type { StartOptions } from '../../../debug/startDebugger.ts'
import type { CommandLine, ToolContext, ToolPreview } from '../../common/toolDefinition.ts'

/** Parameters that name what to debug. */
export const targetParameters = {
  program: z.string().min(1).optional(),
  args: z.array(z.string()).optional().describe('Arguments of `program`.'),
  test: z.string().min(1).optional().describe('Or path::test.'),
  configuration: z.string().min(1).optional().describe('Or a name in launch.json.'),
}

export interface TargetArguments {
  program?: string | undefined
  args?: string[] | undefined
  test?: string | undefined
  configuration?: string | undefined
}

/** Resolves the debug target that a call names. @throws ToolError invalid_arguments, not_found */
export async function resolveTarget(given: TargetArguments, context: ToolContext): Promise<StartOptions> {
  const target = await targetOf(given, context)
  const launches = await context.debug.targets.resolve(target, 'agent', context.signal)
  const [launch] = launches
  if (launch === undefined || launches.length > 1)
    throw new ToolError(
      'invalid_arguments',
      'A compound starts several programs, which one call cannot debug.',
      'Pass one of its configurations.',
    )
  return launch
}

async function targetOf(
  { program, args, test, configuration }: TargetArguments,
  { workspace }: ToolContext,
): Promise<DebugTarget> {
  const given = [program, test, configuration].filter((each) => each !== undefined)
  if (given.length !== 1)
    throw new ToolError(
      'invalid_arguments',
      'Exactly one of `program`, `test` and `configuration` is needed.',
      'Pass, for example, {"program": "main.py"} or {"test": "tests/test_a.py::test_sum"}.',
    )
  if (configuration !== undefined) return { kind: 'configuration', name: configuration }
  if (program !== undefined)
    return { kind: 'file', path: (await workspace.resolve(program)).relative, ...(args && { args }) }
  const [path = '', ...name] = (test ?? '').split('::')
  if (name.length === 0)
    throw new ToolError(
      'invalid_arguments',
      `"${test}" does not name a test.`,
      'Pass the file and the test, as path::name.',
    )
  return { kind: 'test', path: (await workspace.resolve(path)).relative, name: name.join('::') }
}

/** Variables, members and elements. Reading them runs no code in most languages. */
const plainExpression = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*|\[(?:\d+|'[^'\\]*'|"[^"\\]*")\])*$/u

/**
 * Returns the command line that approval rules see: the program, and what else runs code in it, so that a rule for the
 * program does not allow other code.
 * @param code conditions, messages and expressions
 */
export function debugCommandLine(
  { debugger: definition, configuration, preparation }: StartOptions,
  code: readonly string[],
): CommandLine {
  const program = definition.command(configuration).filter((word) => word !== '')
  const evaluated = code.filter((each) => !plainExpression.test(each))
  return {
    command: [
      ...(preparation?.commands ?? []),
      ...[program, ...evaluated.map((each) => ['debugger-evaluate', each])].map(words),
    ].join(' && '),
    cwd: '.',
  }
}

/** Returns the command line that approval rules see for code that is evaluated in a running program. */
export function evaluationLine(...code: readonly string[]): CommandLine {
  const evaluated = code.map((each) => ['debugger-evaluate', each])
  return { command: evaluated.length === 0 ? 'true' : evaluated.map(words).join(' && '), cwd: '.' }
}

const words = (line: readonly string[]): string => line.map(quoteWord).join(' ')

/** A breakpoint in the arguments of a call. */
interface GivenBreakpoint {
  path: string
  line: number
  condition?: string | undefined
  expressions?: readonly string[] | undefined
}

/** Shows on the approval card where the program would stop. The card shows its command too. */
export function previewBreakpoints(breakpoints: readonly GivenBreakpoint[]): ToolPreview {
  if (breakpoints.length === 0) return {}
  const lines = breakpoints.map(({ path, line, condition, expressions = [] }) =>
    [
      `${path}:${line}`,
      ...(condition === undefined ? [] : [`if ${condition}`]),
      ...(expressions.length === 0 ? [] : [`shows ${expressions.join(', ')}`]),
    ].join(' '),
  )
  return { view: { kind: 'page', text: `Breakpoints:\n${lines.join('\n')}` } }
}
