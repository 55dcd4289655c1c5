/** Maximum length of a folder's path on a host. */
export const maxFolderLength = 4096

/** A machine, container or distribution in which a window works. */
export interface RemoteHost {
  /** As typed in "Connect to host…": `devbox`, `user@devbox:2222`, `docker:name` or `wsl:name`. */
  address: string
  /** How the window calls it, such as "SSH: devbox". */
  label: string
}

/** Hosts that "Connect to host…" offers. */
export interface KnownHosts {
  /** Of the SSH configuration, in its order. */
  hosts: RemoteHost[]
  /** Folders that were open on hosts, latest first. */
  recents: { host: RemoteHost; folder: string }[]
}

/** The connection of a window to its host. */
export interface RemoteConnection {
  /** `lost`: waits for the user, because an attempt cannot succeed without them. */
  connection: 'connected' | 'reconnecting' | 'lost'
  /** Number of attempts since the connection broke. */
  attempt: number
  /** Why the last attempt failed. */
  problem: string | null
}

export interface RemoteStatus extends RemoteConnection {
  host: RemoteHost
  /** The folder to open once the window is connected for the first time. */
  opening?: string
}
