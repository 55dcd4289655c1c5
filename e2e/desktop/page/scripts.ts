import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { createBridgeEnd } from './bridgeEnd.ts'
import { createCodec } from './codec.ts'
import { preloadWorld } from './preloadWorld.ts'

/** What every document of a window runs before its own scripts. */
export interface PageScripts {
  /** Name of the isolated world. */
  world: string
  /** Names of its two global functions: to the application, and from it. */
  binding: string
  deliver: string
  /** For the isolated world. */
  preload: string
  /** For the page's own world. */
  page: string
  /** Why the preload script does not even parse, or null. */
  syntaxError: Error | null
}

/**
 * Makes the scripts of a window from the sources of the functions beside this file; Node has removed their types, which leaves JavaScript.
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
