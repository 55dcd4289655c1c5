import { createSearch, type SearchOptions } from '../../search/search.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { testContext, type TestContext } from './toolContext.ts'

/** Creates a test context with the real search service. */
export async function searchContext(
  root: string,
  options: SearchOptions & { signal?: AbortSignal } = {},
): Promise<TestContext> {
  const { signal, ...searching } = options
  const workspace = await openWorkspace(root)
  return testContext(root, { workspace, search: createSearch(workspace, searching), ...(signal ? { signal } : {}) })
}
