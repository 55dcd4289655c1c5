import { z } from 'zod'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'
import { ToolError } from '../../shared/errors.ts'
import type { StartPipedProgram } from '../command/commandTypes.ts'
import { parseLooseJson } from '../base/looseJson.ts'

const strings = z.union([z.string(), z.array(z.string())])

/** CodeLLDB's `cargo`: what is built, and which of the programs is debugged. */
export const cargoSchema = z.object({
  args: z.array(z.string()).min(1),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  filter: z.object({ name: z.string().optional(), kind: strings.optional() }).optional(),
})
export type CargoBuild = z.output<typeof cargoSchema>

const artifactSchema = z.object({
  reason: z.literal('compiler-artifact'),
  target: z.object({ name: z.string(), kind: z.array(z.string()) }),
  executable: z.string(),
})
type Artifact = z.output<typeof artifactSchema>

const maxBuildMs = 15 * 60_000
/** Characters of one message of Cargo, and of all its messages. */
const maxLine = 4_000_000
const maxOutput = 200_000_000
/** Characters kept of the errors. */
const maxErrors = 16_000

/** Arguments of Cargo that build without running, and report what was built. */
export function cargoArguments({ args }: CargoBuild): string[] {
  const [command = '', ...given] = args
  const rest = given.slice(0, indexOrEnd(given, '--'))
  const isTest = command === 'test' || command === 't' || command === 'bench'
  return [
    // `cargo run` is debugged as what `cargo build` makes.
    command === 'run' || command === 'r' ? 'build' : command,
    ...rest,
    ...(isTest && !rest.includes('--no-run') ? ['--no-run'] : []),
    // Errors as people read them, on standard error.
    ...(rest.some((each) => each.startsWith('--message-format')) ? [] : ['--message-format=json-render-diagnostics']),
  ]
}

const indexOrEnd = (list: readonly string[], item: string): number =>
  list.includes(item) ? list.indexOf(item) : list.length

/**
 * Builds with Cargo in the sandbox. @returns absolute path of the program
 * @param cwd real path in the workspace
 * @throws ToolError `server_error` with the compiler's output; `invalid_arguments` if not one program matches
 */
export async function buildWithCargo(
  build: CargoBuild,
  { cwd, startProgram }: { cwd: string; startProgram: StartPipedProgram },
  signal: AbortSignal,
): Promise<string> {
  const args = cargoArguments(build)
  const line = `cargo ${args.join(' ')}`
  const program = await startProgram(
    { program: 'cargo', args, cwd, access: 'sandbox', ...(build.env && { env: build.env }) },
    signal,
  )
  const { child } = program
  const artifacts: Artifact[] = []
  const lines = lineReader((text) => {
    const artifact = artifactSchema.safeParse(parseLooseJson(text)).data
    if (artifact) artifacts.push(artifact)
  })
  let errors = ''
  let total = 0
  child.stdout.on('data', (chunk: Buffer) => {
    total += chunk.length
    if (total <= maxOutput) lines.add(chunk.toString('utf8'))
  })
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-maxErrors)))
  child.stdin.on('error', () => undefined)
  child.stdin.end()
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code))
    child.once('error', () => resolve(null))
  })
  const aborted = Promise.withResolvers<'aborted'>()
  const stop = (): void => aborted.resolve('aborted')
  signal.addEventListener('abort', stop, { once: true })
  const code = await raceTimeout(Promise.race([exited, aborted.promise]), maxBuildMs, 'late' as const)
  signal.removeEventListener('abort', stop)
  await program.end()
  await program.release()
  signal.throwIfAborted()
  if (code === 'late')
    throw new ToolError(
      'timeout',
      `"${line}" did not finish within ${maxBuildMs / 60_000} minutes.`,
      'Build it in a terminal first.',
    )
  if (code !== 0)
    throw new ToolError('server_error', `"${line}" failed.`, 'Correct the errors, then start again.', {
      detail: errors.trim(),
    })
  lines.end()
  return oneProgram(artifacts, build, line)
}

/** Returns the only program that the filter leaves. */
function oneProgram(artifacts: readonly Artifact[], { filter }: CargoBuild, line: string): string {
  const kinds = filter?.kind === undefined ? undefined : [filter.kind].flat()
  const matching = artifacts.filter(
    ({ target: { name, kind } }) =>
      (filter?.name === undefined || name === filter.name) &&
      (kinds === undefined || kind.some((each) => kinds.includes(each))),
  )
  // The tests of a library are those of its sources, besides those in tests/.
  const libraries = matching.filter(({ target: { kind } }) => kind.some((each) => each.endsWith('lib')))
  const [found, ...others] = libraries.length === 1 ? libraries : matching
  if (found !== undefined && others.length === 0) return found.executable
  const names = (found === undefined ? artifacts : matching)
    .slice(0, 20)
    .map(({ target: { name, kind } }) => `${name} (${kind.join(', ')})`)
  throw new ToolError(
    'invalid_arguments',
    found === undefined
      ? names.length === 0
        ? `"${line}" built no program.`
        : `"${line}" built no program that matches "filter". It built ${names.join(', ')}.`
      : `"${line}" built several programs: ${names.join(', ')}.`,
    'Choose one with "filter": {"name": …, "kind": …}.',
  )
}

/** Splits text into lines. Longer ones than `maxLine` are left out. */
function lineReader(onLine: (line: string) => void): { add(text: string): void; end(): void } {
  let parts: string[] = []
  let length = 0
  const flush = (): void => {
    if (length > 0 && length <= maxLine) onLine(parts.join(''))
    parts = []
    length = 0
  }
  return {
    add(text) {
      const [first = '', ...rest] = text.split('\n')
      for (const [index, part] of [first, ...rest].entries()) {
        if (index > 0) flush()
        length += part.length
        if (length <= maxLine) parts.push(part)
      }
    },
    end: flush,
  }
}
