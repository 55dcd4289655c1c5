import { createSearch, type SearchOptions } from '../../search/search.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { testContext, type TestContext } from './toolContext.ts'

/** A context whose search is the real one over a folder. */
export async function searchContext(
  root: string,
  options: SearchOptions & { signal?: AbortSignal } = {},
): Promise<TestContext> {
  const { signal, ...searching } = options
  const workspace = await openWorkspace(root)
  return testContext(root, { workspace, search: createSearch(workspace, searching), ...(signal ? { signal } : {}) })
}
