import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, getCompileCacheDir, Module } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

/** A script that was run with code compiled by an earlier process, if available. */
interface CompiledScript {
  exports: unknown
  /** Stores the code compiled so far for later processes, unless this one started from stored code. Never throws. */
  keep(): void
}

/**
 * Runs a CommonJS module with code compiled by an earlier process. Node's own cache only has what V8 compiles while it
 * loads a module. This code also has the functions compiled when they were first called, which take a fifth of the time
 * until a command sends its first request. It is stored in the folder of Node's cache.
 * @param file contains an expression with the module's function (scripts/lib/bundleCommands.mjs)
 * @param use what the process does with the module, because each use calls other functions
 * @returns undefined if the file does not exist
 */
export function runCompiledScript(file: string, use: string): CompiledScript | undefined {
  const source = contentOf(file)
  if (source === undefined) return undefined
  const folder = getCompileCacheDir()
  const store = folder === undefined ? undefined : join(folder, `commands-${use}`)
  const sourceSum = crc32(source)
  const cachedData = store === undefined ? undefined : readCode(store, sourceSum)
  const script = new Script(source.toString(), { filename: file, ...(cachedData && { cachedData }) })
  let isKept = cachedData !== undefined && script.cachedDataRejected === false
  // V8 rejects code from a process with other flags, and parsing the first command line sets some.
  const tag = isKept ? undefined : versionTag()
  const module = new Module(file)
  module.filename = file
  const load = createRequire(file)
  // Other files of the build load this one.
  load.cache[file] = module
  // The file's expression has this type.
  const run = script.runInThisContext() as (...args: unknown[]) => void
  run(module.exports, load, module, file, dirname(file), (name: string) => import(name))
  module.loaded = true
  return {
    exports: module.exports,
    keep() {
      if (isKept || store === undefined || versionTag() !== tag) return
      isKept = true
      writeCode(store, sourceSum, script.createCachedData())
    },
  }
}

/** Changes with V8's version and flags. The module is loaded only if needed. */
const versionTag = (): number => process.getBuiltinModule('node:v8').cachedDataVersionTag()

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Bytes before the code: the checksums of source and code. V8 itself only compares the source's length. */
const headSize = 8

function readCode(store: string, sourceSum: number): Buffer | undefined {
  const stored = contentOf(store)
  if (stored === undefined || stored.length < headSize) return undefined
  const code = stored.subarray(headSize)
  return stored.readUInt32LE(0) === sourceSum && stored.readUInt32LE(4) === crc32(code) ? code : undefined
}

function writeCode(store: string, sourceSum: number, code: Buffer): void {
  const head = Buffer.alloc(headSize)
  head.writeUInt32LE(sourceSum, 0)
  head.writeUInt32LE(crc32(code), 4)
  const unfinished = `${store}.${process.pid}`
  try {
    writeFileSync(unfinished, Buffer.concat([head, code]), { mode: 0o600 })
    renameSync(unfinished, store)
  } catch {
    // The next process compiles again.
    removeIfPossible(unfinished)
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // For example on Windows while a virus scanner reads the file.
  }
}
