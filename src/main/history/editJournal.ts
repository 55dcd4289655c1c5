/** What an edit replaced. `before: null`: the file did not exist; `after: null`: the edit deleted it. */
export interface JournalChange { path: string; before: string | null; after: string | null }

/** Keeps the text an edit replaced so that its card can take it back. */
export interface EditJournal {
  /** @returns the id that `undo` takes. */
  record(callId: string, changes: JournalChange[]): string
  /**
   * Puts every file of an edit back. Refused with `conflict` when one of them is not what the edit left.
   * @returns the paths that were put back.
   */
  undo(editId: string): Promise<string[]>
}
