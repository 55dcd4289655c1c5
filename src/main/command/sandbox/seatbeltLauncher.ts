import path from 'node:path'
import { gitFoldersOf, gitReadOnlyNames, sharedPaths } from './gitFolders.ts'
import { homeCredentials, homeToolchains } from './homeToolchains.ts'
import { folderPaths } from '../../base/workspaceRoots.ts'
import { realOrSame } from './paths.ts'
import type { SandboxedInvocation, EnterRequest, SandboxOptions, WorkspaceScan } from './sandboxTypes.ts'
import { seatbeltProfile } from './seatbeltProfile.ts'

/** Protected names in the root that a command must not create. */
const absentPlaces = ['.vscode', '.idea', '.husky', '.envrc', '.mcp.json', '.npmrc']

/** @param scan the workspace, without secrets that the command may see */
export async function enterSeatbelt(
  { workspace, home, userData, hidden = [] }: Pick<SandboxOptions, 'workspace' | 'home' | 'userData' | 'hidden'>,
  program: string,
  request: EnterRequest,
  scan: WorkspaceScan,
): Promise<SandboxedInvocation> {
  const folders = folderPaths(workspace)
  // Also covers an empty `.git`, in which a command could create a repository.
  const gitFolders = [...scan.git, ...(await Promise.all(scan.git.map((dotGit) => gitFoldersOf(dotGit)))).flat()]
  const shared = (await Promise.all(scan.git.map((dotGit) => sharedPaths(dotGit, folders)))).flat()
  const profile = seatbeltProfile({
    folders,
    links: workspace.folders && workspace.root,
    readOnly: request.readOnly === true,
    home,
    temporary: await realOrSame('/private/tmp'),
    // Cargo fails if it cannot read its configuration, which is not copied here.
    readable: [...homeToolchains, '.cargo/config', '.cargo/config.toml'].map((name) => path.join(home, name)),
    programs: request.readable ?? [],
    writable: [path.join(home, '.cache'), path.join(home, 'Library', 'Caches'), ...shared],
    own: request.folders ?? [],
    protectedPaths: [
      ...scan.protectedPaths,
      ...new Set(gitFolders.flatMap((folder) => gitReadOnlyNames.map((name) => path.join(folder, name)))),
      ...folders.flatMap((folder) => absentPlaces.map((name) => path.join(folder, name))),
    ],
    hidden: [...scan.secrets, userData, ...hidden, ...homeCredentials.map((name) => path.join(home, name))],
    network: request.network,
  })
  const { file, args } = request.invocation
  return {
    invocation: { file: program, args: ['-p', profile, file, ...args] },
    environment: { ...request.environment, TMPDIR: '/private/tmp' },
    release: async () => undefined,
  }
}
