import { create } from 'zustand'
import type { GitCredentialRequest } from '../../shared/git/git.ts'
import { on, onConnected, request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'

export const useClone = create<{ open: boolean }>(() => ({ open: false }))

/** Opens the dialog that clones a repository. */
export function openCloneDialog(): void {
  useClone.setState({ open: true })
}

/** Git's output in the details dialog; null while it is closed. */
export const useGitOutput = create<{ shown: { title: string; output: string } | null }>(() => ({ shown: null }))

/** A question for the author of commits in a repository. */
export interface AskedIdentity {
  repository: string
  answer: (set: boolean) => void
}

export const useAskedIdentity = create<{ asked: AskedIdentity | null }>(() => ({ asked: null }))

/** Asks for the author name and email address. @returns whether they were set */
export function askIdentity(repository: string): Promise<boolean> {
  return new Promise((resolve) => {
    useAskedIdentity.getState().asked?.answer(false)
    const answer = (set: boolean) => {
      useAskedIdentity.setState({ asked: null })
      resolve(set)
    }
    useAskedIdentity.setState({ asked: { repository, answer } })
  })
}

/** Open prompts of git and ssh, oldest first. */
export const useCredentialRequests = create<{ requests: readonly GitCredentialRequest[] }>(() => ({ requests: [] }))

/** Keeps the prompts of git and ssh current. @returns a function that stops it */
export function followCredentials(): () => void {
  const set = (requests: readonly GitCredentialRequest[]) => useCredentialRequests.setState({ requests })
  const stops = [
    on('git.credentialsChanged', set),
    // Prompts may be open after a reload.
    onConnected(() => attempt(async () => set(await request('git.credentialRequests', {})))),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Returns whether a dialog of git is open. */
export function useHasGitDialog(): boolean {
  const clone = useClone(({ open }) => open)
  const output = useGitOutput(({ shown }) => shown !== null)
  const identity = useAskedIdentity(({ asked }) => asked !== null)
  const credentials = useCredentialRequests(({ requests }) => requests.length > 0)
  return clone || output || identity || credentials
}
