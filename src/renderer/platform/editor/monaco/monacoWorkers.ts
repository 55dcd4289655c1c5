import editorWorkerUrl from 'monaco-editor/editor/editor.worker?worker&url'
import cssWorkerUrl from 'monaco-editor/language/css/css.worker?worker&url'
import htmlWorkerUrl from 'monaco-editor/language/html/html.worker?worker&url'
import jsonWorkerUrl from 'monaco-editor/language/json/json.worker?worker&url'
import typescriptWorkerUrl from 'monaco-editor/language/typescript/ts.worker?worker&url'

const workerUrls: Readonly<Record<string, string>> = {
  css: cssWorkerUrl,
  scss: cssWorkerUrl,
  less: cssWorkerUrl,
  html: htmlWorkerUrl,
  handlebars: htmlWorkerUrl,
  razor: htmlWorkerUrl,
  json: jsonWorkerUrl,
  typescript: typescriptWorkerUrl,
  javascript: typescriptWorkerUrl,
}

/** Methods of Trusted Types that we use. TypeScript's DOM library does not declare them yet. */
interface PolicyFactory {
  createPolicy(name: string, options: object): { createScriptURL(url: string): string }
}

/** Undefined in browsers without Trusted Types. */
const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory }

/** Policies by name. Monaco creates one of its policies twice, which the content security policy forbids. */
const policies = new Map<string, ReturnType<PolicyFactory['createPolicy']>>()

function policy(name: string, options: object): ReturnType<PolicyFactory['createPolicy']> | undefined {
  const known = policies.get(name) ?? trustedTypes?.createPolicy(name, options)
  if (known) policies.set(name, known)
  return known
}

/** Policy for the script URLs of workers. Called only with URLs from imports. */
const workerPolicy = policy('tizonaWorkers', { createScriptURL: (url: string) => url })

/** Starts one of our workers. @param url from an import with `?worker&url` */
export function startWorker(url: string, name: string): Worker {
  return new Worker(workerPolicy?.createScriptURL(url) ?? url, { type: 'module', name })
}

/**
 * Configures how Monaco starts its workers and creates its policies, whose names are in hosts/contentHeaders.ts.
 * Imported first, because Monaco creates policies when it loads.
 */
self.MonacoEnvironment = {
  getWorker: (_moduleId: string, label: string) => {
    return startWorker(workerUrls[label] ?? editorWorkerUrl, label)
  },
  createTrustedTypesPolicy: policy,
} as typeof self.MonacoEnvironment
