import { create } from 'zustand'

/** Ids of calls from the tool console. The console shows their approval requests instead of the chat. */
export const useConsoleCallIds = create<{ ids: ReadonlySet<string> }>()(() => ({ ids: new Set() }))
