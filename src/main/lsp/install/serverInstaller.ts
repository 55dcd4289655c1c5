import path from 'node:path'
import { plural } from '../../../shared/text/plural.ts'
import type { ServerDefinition } from '../serverTable.ts'
import { installPackages, type InstallDeps } from './installPackage.ts'
import known from './serverPackages.json' with { type: 'json' }

/** Installs servers into the user's data folder. */
export interface ServerInstaller {
  /** Contains one folder per package. */
  readonly folder: string
  /** Progress of a running installation of a server's package, for the user. */
  progress(definition: ServerDefinition): string | undefined
  /** Resolves when a server's package is installed. Throws like `installPackages`. */
  install(definition: ServerDefinition): Promise<void>
  /** Stops running installations. */
  close(): void
}

interface InstallerDeps extends Pick<InstallDeps, 'download'> {
  userData: string
  registry(): string
  onChanged(): void
}

/** Returns the npm package of a server that Tizona can install. */
export function installablePackage({ programs }: ServerDefinition): string | undefined {
  for (const program of programs)
    if (program.kind === 'npm' && Object.hasOwn(known, program.package)) return program.package
  return undefined
}

/** Returns the folder of the servers that Tizona installed. */
export const installedServersFolder = (userData: string): string => path.join(userData, 'language-servers')

export function createServerInstaller({ userData, registry, download, onChanged }: InstallerDeps): ServerInstaller {
  const folder = installedServersFolder(userData)
  const closed = new AbortController()
  /** By package, because several servers can share one. */
  const running = new Map<string, { text: string; ended: Promise<void> }>()
  const packages: Partial<Record<string, Parameters<typeof installPackages>[0]>> = known

  return {
    folder,
    progress: (definition) => running.get(installablePackage(definition) ?? '')?.text,
    install(definition) {
      const name = installablePackage(definition) ?? ''
      const known = running.get(name)
      if (known) return known.ended
      const deps: InstallDeps = {
        download,
        registry: registry().replace(/\/$/, ''),
        onProgress(done, total) {
          entry.text = `Installing: ${done} of ${plural(total, 'package')}.`
          onChanged()
        },
      }
      const ended = installPackages(packages[name] ?? [], path.join(folder, name), deps, closed.signal).finally(() => {
        running.delete(name)
        onChanged()
      })
      const entry = { text: 'Installing.', ended }
      running.set(name, entry)
      onChanged()
      return ended
    },
    close: () => closed.abort(),
  }
}
