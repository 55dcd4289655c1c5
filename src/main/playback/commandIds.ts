import type { ToolItem } from '../../shared/agent/conversation.ts'

/** Maps the ids of background commands, which differ from run to run, between a recording and its repetition. */
export interface CommandIds {
  /** Records which command of the repetition corresponds to one of the recording. */
  match(recorded: Pick<ToolItem, 'result'>, repeated: Pick<ToolItem, 'result'>): void
  /** Returns recorded arguments with the ids of the repetition. */
  asRepeated(text: string): string
  /** Returns a result of the repetition with the ids of the recording. */
  asRecorded<T extends Pick<ToolItem, 'result'>>(repeated: T): T
}

export function createCommandIds(): CommandIds {
  const repeatedIds = new Map<string, string>()
  const recordedIds = new Map<string, string>()
  return {
    match(recorded, repeated) {
      const [before, now] = [commandId(recorded), commandId(repeated)]
      if (before === undefined || now === undefined) return
      repeatedIds.set(before, now)
      recordedIds.set(now, before)
    },
    asRepeated: (text) => replaceIds(text, repeatedIds),
    asRecorded: (repeated) =>
      repeated.result
        ? { ...repeated, result: { ...repeated.result, text: replaceIds(repeated.result.text, recordedIds) } }
        : repeated,
  }
}

function commandId({ result }: Pick<ToolItem, 'result'>): string | undefined {
  // A recording is a file, so its views can have any fields.
  const id: unknown = result?.view.kind === 'command' ? result.view.job?.id : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

function replaceIds(text: string, ids: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\bjob-\w+/g, (id) => ids.get(id) ?? id)
}
