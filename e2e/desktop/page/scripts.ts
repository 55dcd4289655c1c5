import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { createBridgeEnd } from './bridgeEnd.ts'
import { createCodec } from './codec.ts'
import { preloadWorld } from './preloadWorld.ts'

/** Scripts that run in every document of a window before its own. */
export interface PageScripts {
  /** Name of the isolated world. */
  world: string
  /** Names of the global functions that send to the application and receive from it. */
  binding: string
  deliver: string
  /** Script for the isolated world. */
  preload: string
  /** Script for the page's world. */
  page: string
  /** Syntax error of the preload script, or null. */
  syntaxError: Error | null
}

/**
 * Creates the scripts of a window from the source text of the functions in this folder. Node has already removed their
 * types.
 * @param path the preload script, or undefined for a window without one
 */
export function pageScripts(path: string | undefined): PageScripts {
  const secret = randomUUID().replaceAll('-', '')
  const names = { binding: `harnessSend${secret}`, deliver: `harnessReceive${secret}` }
  const [toPage, toPreload] = [`harness-to-page-${secret}`, `harness-to-preload-${secret}`]
  const source = path === undefined ? '' : readFileSync(path, 'utf8')
  const wrapped = `(function (require, process, Buffer, global, setImmediate, clearImmediate, exports, module) {${source}\n})`
  const syntaxError = errorOf(wrapped)
  const options = {
    path: path ?? '',
    ...names,
    platform: process.platform,
    versions: { electron: process.versions['electron'], node: process.versions.node },
  }
  const bridge = (outgoing: string, incoming: string): string =>
    `(${String(createBridgeEnd)})(createCodec, ${JSON.stringify(outgoing)}, ${JSON.stringify(incoming)})`
  return {
    world: `harness-preload-${secret}`,
    ...names,
    preload: `(() => {const createCodec = ${String(createCodec)};
(${String(preloadWorld)})(createCodec, () => ${bridge(toPage, toPreload)}, ${JSON.stringify(options)}, ${syntaxError === null ? wrapped : '() => {}'})})()`,
    page: `if (window === window.top) {const createCodec = ${String(createCodec)}; ${bridge(toPreload, toPage)}}`,
    syntaxError,
  }
}

function errorOf(source: string): Error | null {
  try {
    new Script(source)
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
