/** A part of a folder that is off until the user trusts the folder, as listed in the trust dialog. */
export interface TrustEffect {
  kind: 'server' | 'hook' | 'instructions' | 'rule' | 'skill' | 'prompt'
  /** Path of the file, or name of the server. For a hook, the file that defines it and its event. */
  name: string
  /** The program or address of a server, or the command of a hook. */
  detail?: string
}

/** What trust would turn on in a folder. */
export interface TrustEffects {
  effects: TrustEffect[]
  /** Whether `effects` is incomplete. */
  more: boolean
  /** Parent folder that can be trusted as a whole; null if that would cover too much, such as the home folder. */
  parent: string | null
}

/** Choices in the trust dialog. `folder` and `parent` trust, `restricted` does not. */
export const trustChoices = ['folder', 'parent', 'restricted'] as const
export type TrustChoice = (typeof trustChoices)[number]
