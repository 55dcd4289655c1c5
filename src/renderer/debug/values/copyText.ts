import { attempt, notify } from '../../platform/notices.ts'

/** Copies a text. @param what name of the text in the notice */
export function copyText(what: string, text: () => Promise<string>): void {
  attempt(async () => {
    await navigator.clipboard.writeText(await text())
    notify('success', `Copied the ${what}.`)
  }, `The ${what} could not be copied`)
}
