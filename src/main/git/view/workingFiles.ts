import type { Checkpoints, RestoreTarget } from '../../history/checkpoints/checkpoints.ts'
import type { WindowDocuments } from '../../workspace/documents.ts'
import type { DecodedText } from '../../base/textFormat.ts'
import type { TextFormat } from '../../../shared/files/textFormat.ts'

/** Services for the files of the workspace that changes of the git view need. */
export interface WorkingFiles {
  documents: Pick<WindowDocuments, 'read' | 'restoreVersion'>
  /** Deletes discarded files. */
  target: Pick<RestoreTarget, 'remove' | 'removeFolder'>
  /** Store what is discarded, for undo. */
  checkpoints: Pick<Checkpoints, 'take' | 'restore' | 'scan'>
  /** @throws ToolError `binary_file`, `invalid_encoding` */
  decode(content: Buffer, name: string): DecodedText
  /** @param before content whose mixed line endings are kept */
  encode(text: string, format: TextFormat, before?: DecodedText): Buffer
}
