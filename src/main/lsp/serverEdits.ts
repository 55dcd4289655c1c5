import type { ApplyWorkspaceEditParams, ApplyWorkspaceEditResult, WorkspaceEdit } from 'vscode-languageserver-protocol'
import type { LanguageServer } from './languageServer.ts'

/**
 * Servers may only change files as part of an action chosen by the user. Their edits are collected, and the window
 * applies them.
 */
export function createServerEdits(onNotice: (message: string) => void) {
  /** Edits that servers request while a user action runs. */
  const collecting = new Map<LanguageServer, WorkspaceEdit[]>()
  let refusalNoticed = false

  return {
    /** Handles `workspace/applyEdit`. */
    applyEdit({ edit }: ApplyWorkspaceEditParams, server: LanguageServer): ApplyWorkspaceEditResult {
      const edits = collecting.get(server)
      if (edits) {
        edits.push(edit)
        return { applied: true }
      }
      if (!refusalNoticed) {
        refusalNoticed = true
        onNotice(
          `${server.definition.title} tried to change files, although you did not request it. Nothing was changed.`,
        )
      }
      return { applied: false, failureReason: 'No user action is running.' }
    },

    /** Runs an action, and returns the edits that the server requests meanwhile. */
    async collect(server: LanguageServer, run: () => Promise<unknown>): Promise<WorkspaceEdit[]> {
      const edits: WorkspaceEdit[] = []
      collecting.set(server, edits)
      try {
        await run()
      } finally {
        collecting.delete(server)
      }
      return edits
    },
  }
}
