import type { Search } from '../search/search.ts'
import type { Documents } from '../workspace/documents.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { ForkProcess } from '../base/childProcess.ts'
import type { WatchdogLimits } from './index/indexLimits.ts'
import type { FileText } from './index/fileIndexer.ts'

export interface CodeIndexOptions {
  workspace: Workspace
  documents: Documents
  search: Search
  /** User data folder. The index is in its `code-index/` subfolder. */
  userData: string
  /** The `resources/` folder of the installation. */
  resources: string
  /** Whether `filesChanged` is called for changes on disk. If not, files are checked before each request. */
  watched: boolean
  /** Returns the unsaved texts of all open tabs, by path relative to the workspace. */
  dirtyBuffers(): FileText[]
  /** Receives messages for the user. */
  onNotice(message: string): void
  /** How the host starts the index process. Default: `child_process.fork`. */
  fork?: ForkProcess
  /** Overrides of the default process limits. */
  limits?: Partial<WatchdogLimits>
}

/** A position in the current text of a file. 1-based; columns count UTF-16 units. */
export interface TextPosition {
  path: string
  line: number
  column: number
}
