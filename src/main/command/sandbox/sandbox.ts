import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { unsandboxedReason, type SandboxState } from '../../../shared/commands/sandbox.ts'
import { readInvocations } from '../invocations.ts'
import { createBubblewrapLauncher } from './bubblewrapLauncher.ts'
import { gitConfigPaths } from './gitConfigPaths.ts'
import { gitFoldersOf, sharedFolder, unsharedEntries } from './gitFolders.ts'
import { needsNetwork } from './networkCommands.ts'
import { absoluteIn, folderPaths, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { isInsideAny } from './paths.ts'
import { placeholderRecords } from './placeholderRecord.ts'
import { createPlaceholders } from './placeholders.ts'
import { findProtectedChanges, identitiesOf, replacedSince } from './protectedChanges.ts'
import { missingPaths, recognizeDenial } from './sandboxDenial.ts'
import type { SandboxProgram } from './sandboxProbe.ts'
import type { Sandbox, SandboxOptions, WorkspaceScan } from './sandboxTypes.ts'
import { enterSeatbelt } from './seatbeltLauncher.ts'

export function createSandbox(options: SandboxOptions): Sandbox {
  const { scanner, workspace } = options
  const folders = folderPaths(workspace)
  const folder = sandboxFolder(options)
  const placeholders = createPlaceholders(placeholderRecords(options.userData))
  const bubblewrap = createBubblewrapLauncher(options, folder, placeholders)
  /** Command lines that failed because they had no network. */
  const wantNetwork = new Set<string>()
  /** Secret files that were empty for the last command. */
  let masked: readonly string[] = []
  let checked: SandboxState = { kind: 'checking' }
  let probing: Promise<SandboxProgram> | undefined

  async function check(): Promise<SandboxProgram> {
    probing ??= options.probe().then((found) => {
      checked = found.state
      // The first scan takes longest.
      if (state().kind === 'available') void scanner.scan().catch(() => undefined)
      options.onChanged?.(state())
      return found
    })
    return probing
  }

  function state(): SandboxState {
    return options.enabled() ? checked : { kind: 'off' }
  }

  return {
    state,
    check,
    async plan(command, access) {
      if (access === 'outside') return { sandboxed: false, reason: 'allowed for this run' }
      if (options.enabled()) await check()
      const reason = unsandboxedReason(state())
      if (reason !== undefined) return { sandboxed: false, reason }
      if (access === 'network' || wantNetwork.has(command)) return { sandboxed: true, network: true }
      const read = await readInvocations(command)
      return { sandboxed: true, network: read !== undefined && needsNetwork(read.commands) }
    },
    async enter(request) {
      const { state: found, program } = await check()
      if (program === undefined || found.kind !== 'available') throw new Error('The sandbox is not available.')
      const startedAt = Date.now()
      const before = await scanner.scan()
      if (request.readOnly === true)
        return found.program === 'bubblewrap'
          ? bubblewrap.enter(program, request, before, [])
          : enterSeatbelt(options, program, request, before)
      const gitPaths = (await Promise.all(before.git.map((dotGit) => gitConfigPaths(dotGit, folders)))).flat()
      const guarded = { ...before, protectedPaths: [...before.protectedPaths, ...gitPaths.map((place) => place.path)] }
      const gitFolders = await innerGitFolders(before)
      const sharedEntries = await sharedGitEntries(before, folders)
      const identities = await identitiesOf([...guarded.git, ...guarded.protectedPaths, ...gitFolders])
      const shown = withoutSecrets(guarded, request.secrets ?? [], workspace)
      masked = shown.secrets
      const entered =
        found.program === 'bubblewrap'
          ? await bubblewrap.enter(program, request, shown, gitPaths)
          : await enterSeatbelt(options, program, request, shown)
      return {
        ...entered,
        async release() {
          await entered.release()
          const after = await scanner.scan().catch(() => undefined)
          if (after === undefined) return undefined
          const replaced = await replacedSince(identities)
          const known = new Set([...gitFolders, ...sharedEntries])
          const now = [...(await innerGitFolders(after)), ...(await sharedGitEntries(after, folders))]
          const added = now.filter((inner) => !known.has(inner))
          return findProtectedChanges(workspace, before, after, { since: startedAt, replaced, added })
        },
      }
    },
    async denial(command, sandbox, output) {
      const named = masked.filter((file) => output.includes(path.basename(file))).map((file) => path.basename(file))
      const hidden = sandbox.sandboxed ? [...named, ...(await hiddenPaths(missingPaths(output), folders))] : []
      const found = recognizeDenial({ output, sandbox, hidden })
      if (found?.kind === 'network') wantNetwork.add(command)
      return found
    },
    remember: (command) => void wantNetwork.add(command),
    dispose: () => scanner.dispose(),
  }
}

/**
 * Returns the git folders of the submodules and worktrees of known repositories, because git also obeys their
 * configuration and hooks.
 */
async function innerGitFolders({ git }: WorkspaceScan): Promise<string[]> {
  const folders = await Promise.all(git.map((dotGit) => gitFoldersOf(dotGit)))
  return folders.flat().filter((folder) => /[\\/](?:modules|worktrees)[\\/]/.test(folder))
}

/** Returns what the common git folders of worktrees contain, if they are outside the workspace. */
async function sharedGitEntries({ git }: WorkspaceScan, workspace: readonly string[]): Promise<string[]> {
  const shared = new Set(await Promise.all(git.map((dotGit) => sharedFolder(dotGit, workspace))))
  const entries = await Promise.all(
    [...shared].map(async (common) => (common === undefined ? [] : unsharedEntries(common))),
  )
  return entries.flat()
}

/** Folder of a workspace in the user data. */
function sandboxFolder({ userData, workspace }: SandboxOptions): string {
  return path.join(userData, 'sandbox', createHash('sha256').update(workspace.root).digest('hex').slice(0, 16))
}

/** @param shown paths relative to the workspace */
function withoutSecrets(scan: WorkspaceScan, shown: readonly string[], workspace: WorkspaceRoots): WorkspaceScan {
  const files = new Set(shown.map((file) => absoluteIn(workspace, file)))
  return { ...scan, secrets: scan.secrets.filter((file) => !files.has(file)) }
}

const visibleFolders = /^\/(?:usr|bin|sbin|lib\w*|etc|opt|nix|proc|dev|sys)(?:\/|$)/

/** Paths that exist but are hidden in the sandbox. */
async function hiddenPaths(files: readonly string[], folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    files.map(
      async (file) =>
        !isInsideAny(file, folders) &&
        !visibleFolders.test(file) &&
        (await lstat(file).catch(() => undefined)) !== undefined,
    ),
  )
  return files.filter((_, index) => found[index])
}
