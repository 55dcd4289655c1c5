import { setFlagsFromString } from 'node:v8'

/**
 * V8 flags of a process that loads grammars. Importing this module sets them; import it first, because a module that was compiled before
 * keeps its behaviour.
 *
 * - V8's optimising WebAssembly compiler takes gigabytes for the large generated functions of a grammar (3 GB for Swift, 0.6 GB for bash),
 *   and the process can die of it. The baseline compiler alone takes about 100 MB and is faster for files of ordinary size.
 * - Replacing the wrapper of an imported function after 1,000 calls has crashed this version of V8 (`Runtime_TierUpWasmToJSWrapper`,
 *   `NativeModule::FreeCode`), so wrappers are never replaced.
 *
 * `--liftoff-only` works on a command line only: V8 applies what a flag implies at its start, and what it implies are the first two flags here.
 */
const flags = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--wasm-wrapper-tiering-budget=2147483647']

for (const flag of flags) setFlagsFromString(flag)

/** The same for `execArgv` of a process that is started. A Worker refuses V8 flags, and shares those of its process. */
export const wasmExecArgv: readonly string[] = ['--liftoff-only', ...flags]
