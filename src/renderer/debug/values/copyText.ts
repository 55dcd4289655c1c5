import { attempt, notify } from '../../platform/notices.ts'

const texts = {
  callStack: { copied: 'Copied the call stack.', failed: 'The call stack could not be copied' },
  value: { copied: 'Copied the value.', failed: 'The value could not be copied' },
  expression: { copied: 'Copied the expression.', failed: 'The expression could not be copied' },
  line: { copied: 'Copied the line.', failed: 'The line could not be copied' },
}

/** Copies a text and shows a notice about it. */
export function copyText(kind: keyof typeof texts, text: () => Promise<string>): void {
  attempt(async () => {
    await navigator.clipboard.writeText(await text())
    notify('success', texts[kind].copied)
  }, texts[kind].failed)
}
