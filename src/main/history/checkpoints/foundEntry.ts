/** What is at a path, without the content of a file. */
export type FoundEntry =
  | { kind: 'file'; mode: number; size: number; stamp: string }
  | { kind: 'folder' }
  | { kind: 'link'; target: string }
  /** A device, pipe or socket. */
  | { kind: 'special' }
  | FailedEntry

/** A failure of the system. */
export interface FailedEntry {
  kind: 'failed'
  code: string
}
