import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

/** llama.cpp's own grammar parser. */
export interface GrammarParser {
  /** @throws Error if llama.cpp refuses the grammar; llama.cpp prints the reason to standard error */
  compile(grammar: string): void
  /** Whether the grammar matches the complete text. */
  accepts(grammar: string, text: string): boolean
}

/**
 * Version of node-llama-cpp, whose prebuilt packages contain llama.cpp as an addon (MIT, about 30 MB). An optional
 * dependency of Tizona. If it was not installed, npm installs it on first use.
 */
const version = '3.21.1'
const packages: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
}
const folder = resolve('.cache/llama-grammar', version)

/** The addon's grammar class, which node-llama-cpp's `LlamaGrammar` wraps. */
type AddonGrammar = new (
  grammar: string,
  options: { addonExports: unknown; rootRuleName: string },
) => { isTextCompatible(text: string): boolean }

/** Loads the parser, after installing it with npm if needed. @returns `missing`: the reason why it is not available */
export async function loadGrammarParser(): Promise<GrammarParser | { missing: string }> {
  const system = `${process.platform}-${process.arch}`
  const name = packages[system]
  if (name === undefined) return { missing: `node-llama-cpp has no prebuilt llama.cpp for ${system}` }
  const below = (parent: string) => join(parent, 'node_modules/@node-llama-cpp', name, 'bins', name, 'llama-addon.node')
  const addon = existsSync(below(resolve('.'))) ? below(resolve('.')) : below(folder)
  if (!existsSync(addon)) {
    await mkdir(folder, { recursive: true })
    const args = [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `@node-llama-cpp/${name}@${version}`,
    ]
    const problem = await runNpm(args)
    if (problem !== undefined || !existsSync(addon))
      return {
        missing: `npm could not install @node-llama-cpp/${name}@${version}: ${problem ?? 'the addon is not in the package'}`,
      }
  }
  // The addon has no types.
  const exported = createRequire(import.meta.url)(addon) as { AddonGrammar: AddonGrammar }
  const parse = (grammar: string) =>
    new exported.AddonGrammar(grammar, { addonExports: exported, rootRuleName: 'root' })
  return {
    compile: (grammar) => void parse(grammar),
    accepts: (grammar, text) => parse(grammar).isTextCompatible(text),
  }
}

/** Runs npm. @returns undefined, or the reason why npm failed */
function runNpm(args: readonly string[]): Promise<string | undefined> {
  const isWindows = process.platform === 'win32'
  return new Promise((done) => {
    execFile(
      isWindows ? 'npm.cmd' : 'npm',
      [...args],
      { shell: isWindows, timeout: 180_000 },
      (error, _output, problems) => done(error ? firstProblem(problems) || error.message : undefined),
    )
  })
}

/** Returns npm's first error lines, which name the cause. */
function firstProblem(lines: string): string {
  return lines
    .split('\n')
    .filter((line) => line.startsWith('npm error'))
    .slice(0, 4)
    .map((line) => line.slice('npm error'.length).trim())
    .join(', ')
}
