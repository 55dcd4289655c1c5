import type { PlaceRules } from '../approval/placeRules.ts'
import type { WriteOutcome } from '../workspace/documents.ts'
import { createCallEditor } from './callEditor.ts'
import type { ToolServices } from './common/toolDefinition.ts'
import { windowWithoutSecrets, withoutSecrets } from './secretGuard.ts'
import { recordWrites, type KnownErrors } from './writeDiagnostics.ts'

/** The services of the folder, as one call gets them. */
export interface CallServices {
  /** For the tool: without secret files, and with a record of its writes. */
  guarded: ToolServices
  /** For checks before the approval, whose findings only the user sees: including secret files. */
  open: ToolServices
  /** Paths, relative to the workspace, that `guarded` reveals although they are secret. */
  approvedPaths: Set<string>
  /** Collects the files that the call writes. */
  writes: WriteOutcome[]
  /** Errors of the files before their first write, as far as they were known. */
  known: KnownErrors
}

/** Creates the services of one call. */
export function createCallServices(services: ToolServices, secret: PlaceRules['secret']): CallServices {
  const { documents, writes, known } = recordWrites(services.documents, services.languages.editErrors)
  const approvedPaths = new Set<string>()
  const { editor: guardedEditor, languages } = windowWithoutSecrets(services, secret, approvedPaths)
  const editor = createCallEditor(services.editor, guardedEditor, approvedPaths)
  return {
    guarded: {
      ...services,
      ...withoutSecrets({ ...services, documents }, secret, approvedPaths),
      editor: editor.after,
      languages,
    },
    open: { ...services, editor: editor.before },
    approvedPaths,
    writes,
    known,
  }
}
