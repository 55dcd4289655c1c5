import type { ConversationStore } from '../history/conversations.ts'
import { cancelledCalls, noticeItem } from './items.ts'
import { unfinishedRestore } from './restoreNotices.ts'
import type { StoredTranscript } from './transcript.ts'

/** Closes the cards of a turn that was running when its process ended, and offers to continue it. */
export function closeInterruptedTurn(store: ConversationStore, id: string, transcript: StoredTranscript): void {
  // A turn that ends clears its runner. Between two requests, only the runner shows that a turn was running.
  let interrupted = store.runner(id) !== undefined
  if (interrupted) store.setRunner(id, null)
  for (const item of transcript.items()) {
    if (item.kind === 'assistant' && item.state === 'streaming') {
      interrupted = true
      transcript.put({ ...item, state: 'stopped' })
    }
    if (item.kind === 'notice' && item.restore?.state === 'running')
      transcript.put(unfinishedRestore(item, item.restore, 'Tizona was closed in the meantime.'))
  }
  for (const call of cancelledCalls(transcript.items())) {
    interrupted = true
    // Commands end with the process that started them.
    transcript.put(call.job ? { ...call, job: { ...call.job, state: 'killed' } } : call)
  }
  if (interrupted) transcript.put(noticeItem('warning', 'Tizona was closed while this turn ran.', 'continue'))
}
