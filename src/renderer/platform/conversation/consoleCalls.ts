import { create } from 'zustand'

/** Ids of the calls that the tool console of this window shows. The chat does not show their approval requests. */
export const useConsoleCallIds = create<{ ids: ReadonlySet<string> }>()(() => ({ ids: new Set() }))
