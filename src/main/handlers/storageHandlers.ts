import type { DatabaseSync } from 'node:sqlite'
import type { CleanUp } from '../history/cleanUp/cleanUp.ts'
import { readStorageSizes } from '../history/cleanUp/storageSizes.ts'
import type { Handlers } from './handlers.ts'

/** Handles requests for the size of the stored data and for its clean-up. */
export function createStorageHandlers({
  db,
  userData,
  cleanUp,
}: {
  db: DatabaseSync
  userData: string
  cleanUp: CleanUp
}): Pick<Handlers, 'storage.sizes' | 'storage.planCleanUp' | 'storage.cleanUp'> {
  return {
    'storage.sizes': () => readStorageSizes(db, userData),
    'storage.planCleanUp': () => cleanUp.plan(),
    'storage.cleanUp': () => cleanUp.run(),
  }
}
