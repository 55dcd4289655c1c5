import { isAbort, ToolError, toFailure } from '../../shared/errors.ts'
import { log } from '../base/log/log.ts'
import type {
  DocumentServer,
  QueryAllServers,
  QueryOptions,
  QueryRunningServers,
  QueryServers,
  FeatureServer,
} from './features/featureServer.ts'
import type { LanguageServer } from './languageServer.ts'
import type { LibraryFiles } from './libraryFiles.ts'
import type { LineText } from './lineText.ts'
import type { RunningServer } from './serverLifecycle.ts'
import type { ServerRequestName } from './connection.ts'
import type { ServerDefinition } from './serverTable.ts'
import type { Uris } from './uris.ts'
import { raceTimeout } from '../../shared/async/raceTimeout.ts'

interface QueryDeps {
  uris: Uris
  libraryOf: LibraryFiles['add']
  /** Returns all servers that can handle requests. */
  servers(): readonly LanguageServer[]
  /** Returns the servers that can handle requests about a file. */
  serversFor(path: string): readonly LanguageServer[]
  /** Sends a file's current text to its servers. */
  ensureOpen(path: string, signal?: AbortSignal): Promise<void>
  linesOf(path: string): Promise<LineText | null>
  /** Whether a server knows all files of the project that contains a file. */
  knowsProject(definition: ServerDefinition, path: string): Promise<boolean>
  /** `ServerTimes.start`. */
  startWait: number
}

/** Creates the functions that send requests about a file to its servers. */
export function createServerQueries({
  uris,
  libraryOf,
  servers,
  serversFor,
  ensureOpen,
  linesOf,
  knowsProject,
  startWait,
}: QueryDeps): {
  query: QueryServers
  queryAll: QueryAllServers
  queryRunning: QueryRunningServers
} {
  const latest = new Map<string, AbortController>()

  /** Cancels the previous request on a topic for a file. */
  function replaceLatest(topic: string, path: string, signal?: AbortSignal): AbortSignal {
    const key = `${topic} ${path}`
    latest.get(key)?.abort()
    const controller = new AbortController()
    latest.set(key, controller)
    return signal ? AbortSignal.any([signal, controller.signal]) : controller.signal
  }

  function answeringOf(
    server: LanguageServer,
    { connection, codec }: RunningServer,
    signal: AbortSignal | undefined,
  ): FeatureServer {
    return {
      ...uris,
      libraryOf: (uri) => libraryOf(uri, server),
      codec,
      server,
      linesOf,
      async request(method, params) {
        if (!connection.supports(method)) return null
        try {
          const result = await connection.request(method, params, { signal })
          server.answered(true)
          return result
        } catch (error) {
          if (error instanceof ToolError && error.code === 'timeout') server.answered(false)
          throw error
        }
      },
    }
  }

  /** Collects responses until `isEnough`. The list is empty if no server has the feature. */
  async function collect<T>(
    path: string,
    method: ServerRequestName,
    answer: (answering: DocumentServer) => Promise<T | null>,
    options: QueryOptions,
    isEnough: (result: T | null) => boolean,
  ): Promise<(T | null)[]> {
    const failures: unknown[] = []
    const chosen = serversFor(path).filter((server) => options.onlyRunning !== true || server.running() !== undefined)
    if (chosen.length === 0) return []
    const signal = options.latest === undefined ? options.signal : replaceLatest(options.latest, path, options.signal)
    try {
      await ensureOpen(path, signal)
    } catch (error) {
      // The request to the index reports a file that cannot be read.
      if (toFailure(error).code !== 'internal') return []
      throw error
    }
    const results: (T | null)[] = []
    // A running server may have the result, so that none is waited for.
    for (const server of options.explicit === true ? runningFirst(chosen) : chosen) {
      if (options.wholeProject === true && !(await knowsProject(server.definition, path))) continue
      const start = () => (options.explicit === true ? server.start() : raceTimeout(server.start(), startWait))
      const running = server.running() ?? (await start())
      const document = server.documents.get(path)
      if (!running?.connection.supports(method) || !document) continue
      const { uri, lines } = document
      const answering: DocumentServer = { ...answeringOf(server, running, signal), path, uri, lines }
      results.push(await answerOrNull(server, () => answer(answering), options, failures))
      if (signal?.aborted === true || isEnough(results.at(-1) ?? null)) break
    }
    if (options.explicit === true && failures.length > 0 && results.every(isEmpty)) throw failures[0]
    return results
  }

  return {
    async query(path, method, answer, options) {
      const results = await collect(path, method, answer, options, (result) => result !== null)
      return results.length === 0 ? undefined : results.at(-1)
    },
    async queryAll(path, method, answer, options) {
      const results = await collect(path, method, answer, options, () => false)
      return results.length === 0 ? undefined : results.filter((result) => result !== null)
    },
    async queryRunning(method, answer, signal) {
      const results = await Promise.all(
        servers().map(async (server) => {
          const running = server.running()
          if (!running?.connection.supports(method)) return null
          return answerOrNull(server, () => answer(answeringOf(server, running, signal)), { signal })
        }),
      )
      return results.filter((result) => result !== null)
    },
  }
}

const runningFirst = (servers: readonly LanguageServer[]): LanguageServer[] =>
  servers.toSorted((a, b) => Number(b.running() !== undefined) - Number(a.running() !== undefined))

const isEmpty = (result: unknown): boolean => result === null || (Array.isArray(result) && result.length === 0)

/** @param failures receives a failure, unless the request was stopped by its time limit */
async function answerOrNull<T>(
  { definition }: LanguageServer,
  answer: () => Promise<T | null>,
  { signal }: QueryOptions,
  failures: unknown[] = [],
): Promise<T | null> {
  try {
    return await answer()
  } catch (error) {
    if (!isAbort(error) || signal?.aborted === true) failures.push(error)
    // A request stopped by its time limit is no failure either, because the index responds instead.
    if (!isAbort(error) && signal?.aborted !== true && !(error instanceof ToolError))
      log.warn(`A response of ${definition.title} could not be read`, error)
    return null
  }
}
