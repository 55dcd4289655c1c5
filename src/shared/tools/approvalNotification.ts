import type { ApprovalRequest } from './approval.ts'
import { visibleCommand, visibleText } from '../text/visibleText.ts'
import { truncate } from '../text/truncate.ts'

const maxBodyLength = 200

/** Text of the notification about a call that is waiting for approval. */
export function approvalNotification({ title, command }: Pick<ApprovalRequest, 'title' | 'command'>): {
  title: string
  body: string
} {
  // Cut first, because a command can be a megabyte long.
  const start = (command ?? title).slice(0, maxBodyLength + 1)
  const text = command === undefined ? visibleText(start) : visibleCommand(start)
  return {
    title: command === undefined ? 'Approval needed' : `Approval needed: ${visibleText(title)}`,
    body: truncate(text, maxBodyLength),
  }
}
