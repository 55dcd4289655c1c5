import { create } from 'zustand'
import type { FileProblems, LanguageServerStatus, LanguageState } from '../../../shared/language/languageServers.ts'
import { onAppState } from '../appState.ts'
import { on, request } from '../bridge/bridge.ts'
import { notifyFailure } from '../notices.ts'

export interface LanguageStore {
  servers: readonly LanguageServerStatus[]
  /** Programs in the folder that need approval. */
  programs: readonly string[]
  /** Problems by path. Files without problems are absent. */
  problems: Readonly<Record<string, FileProblems>>
  /** Problems that the editor itself finds in open files, such as JSON syntax errors. */
  editorProblems: Readonly<Record<string, FileProblems>>
}

/** The open folder's language servers and the problems that they reported. */
export const useLanguages = create<LanguageStore>(() => ({
  servers: [],
  programs: [],
  problems: {},
  editorProblems: {},
}))

/** Returns the ids of the running servers as one string, to detect changes. */
export function runningServerKey({ servers }: Pick<LanguageStore, 'servers'> = useLanguages.getState()): string {
  return servers
    .filter(({ state }) => state === 'running')
    .map(({ id }) => id)
    .join(' ')
}

/** Replaces everything, for example with the result of an action on a server. */
export function storeLanguageState({ servers, problems, programs }: LanguageState): void {
  useLanguages.setState({ servers, programs, problems: Object.fromEntries(problems.map((file) => [file.path, file])) })
}

function withFile(problems: LanguageStore['problems'], file: FileProblems): LanguageStore['problems'] {
  const { [file.path]: _replaced, ...others } = problems
  return file.problems.length === 0 ? others : { ...others, [file.path]: file }
}

function storeProblems(file: FileProblems): void {
  useLanguages.setState(({ problems }) => ({ problems: withFile(problems, file) }))
}

/** Stores the problems that the editor itself found in an open file. */
export function storeEditorProblems(file: FileProblems): void {
  const { editorProblems } = useLanguages.getState()
  if (file.problems.length > 0 || editorProblems[file.path])
    useLanguages.setState({ editorProblems: withFile(editorProblems, file) })
}

/** Keeps the state of the open folder's servers current. @returns a function that stops it */
export function followLanguageServers(): () => void {
  const stops = [
    onAppState(() => {
      request('language.state', {})
        .then(storeLanguageState)
        .catch((error: unknown) => notifyFailure(error, 'The state of the language servers could not be loaded'))
    }),
    on('language.servers', (servers) => useLanguages.setState({ servers })),
    on('language.programs', (programs) => useLanguages.setState({ programs })),
    on('language.problems', storeProblems),
  ]
  return () => stops.forEach((stop) => stop())
}
