/** What is off in a folder until the user trusts it, as shown by the trust dialog. */
export interface TrustEffect {
  kind: 'server' | 'instructions' | 'rule' | 'skill' | 'prompt'
  /** Path, or name of the server. */
  name: string
  /** The program or address of a server. */
  detail?: string
}

/** What trust would turn on in a folder. */
export interface TrustEffects {
  effects: TrustEffect[]
  /** Whether there are more than `effects` lists. */
  more: boolean
  /** Parent folder that can be trusted as a whole; null if that would cover too much, such as the home folder. */
  parent: string | null
}

/** Choices in the trust dialog. `folder` and `parent` trust, `restricted` does not. */
export const trustChoices = ['folder', 'parent', 'restricted'] as const
export type TrustChoice = (typeof trustChoices)[number]
