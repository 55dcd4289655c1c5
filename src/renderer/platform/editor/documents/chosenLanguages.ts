import { createStore } from 'zustand/vanilla'

/** Language modes that the user chose for untitled texts, by path. Stored with the layout. */
export const chosenLanguages = createStore<Record<string, string>>(() => ({}))
