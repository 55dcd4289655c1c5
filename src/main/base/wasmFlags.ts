/**
 * V8 flags for processes that load grammars. `startTreeSitter` sets them.
 * - V8's optimizing WebAssembly compiler uses gigabytes for the large generated functions of a grammar (3 GB for Swift,
 * 0.6 GB for bash), which can kill the process. The baseline compiler alone uses about 100 MB and is faster for
 * ordinary files.
 * - Replacing the wrapper of an imported function after 1,000 calls crashes this version of V8
 * (`Runtime_TierUpWasmToJSWrapper`, `NativeModule::FreeCode`), so wrappers are never replaced.
 * - `--liftoff-only` only works on a command line, where V8 expands it to the first two flags.
 */
export const wasmFlags: readonly string[] = [
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
  '--wasm-wrapper-tiering-budget=2147483647',
]

/** Flags for `execArgv` of a child process. A Worker rejects V8 flags and uses the flags of its process. */
export const wasmExecArgv: readonly string[] = ['--liftoff-only', ...wasmFlags]
