/** Folders in the home folder that programs on PATH and their libraries need. Read-only in the sandbox. */
export const homeToolchains: readonly string[] = [
  '.asdf',
  '.bun/bin',
  '.cargo/bin',
  '.cargo/env',
  '.conda',
  '.deno/bin',
  '.dotnet',
  '.elan',
  '.fnm',
  '.ghcup',
  '.gem/ruby',
  '.goenv',
  '.jenv',
  '.juliaup',
  '.julia',
  '.local/bin',
  '.local/lib',
  '.local/pipx',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pipx',
  '.local/share/rtx',
  '.local/share/uv',
  '.local/state/nix',
  '.n',
  '.nix-profile',
  '.nodenv',
  '.nvm',
  '.opam',
  '.pixi',
  '.proto',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.rvm',
  '.sdkman',
  '.swiftly',
  '.volta',
  '.zvm',
  'anaconda3',
  'go/bin',
  'mambaforge',
  'miniconda3',
  'miniforge3',
]

/**
 * Folders that the programs of an installation need. If `bin` of a folder such as `~/.pulumi` is on PATH, a command
 * sees only these, because tools keep credentials next to them.
 */
export const installationFolders: readonly string[] = [
  'bin',
  'current',
  'dist',
  'include',
  'installs',
  'jre',
  'lib',
  'lib32',
  'lib64',
  'libexec',
  'node_modules',
  'opt',
  'pkg',
  'plugins',
  'py',
  'sbin',
  'self',
  'share',
  'shims',
  'store',
  'toolchains',
  'vendor',
  'versions',
]

/**
 * Caches of package managers. Without network the user's own cache is read-only. With network, commands share a cache
 * that Tizona keeps per workspace, so that a hostile package cannot change the user's. Overlays are not used:
 * bubblewrap has them only since 0.11, and two commands cannot share a writable layer.
 */
export const packageCaches: readonly string[] = [
  '.bun/install/cache',
  '.cabal/packages',
  '.cache/deno',
  '.cache/pip',
  '.cache/pnpm',
  '.cache/uv',
  '.cache/yarn',
  '.cargo/git',
  '.cargo/registry',
  '.gradle/caches',
  '.gradle/wrapper',
  '.hex',
  '.ivy2',
  '.m2/repository',
  '.m2/wrapper',
  '.npm',
  '.nuget/packages',
  '.pub-cache',
  '.stack',
  '.local/share/pnpm',
  'go/pkg/mod',
]

/** Downloaded browsers and similar programs that tests need. Read-only. */
export const downloadedPrograms: readonly string[] = [
  '.cache/Cypress',
  '.cache/electron',
  '.cache/ms-playwright',
  '.cache/node',
  '.cache/puppeteer',
]

/** Credentials in the folders above that commands must not see. A trailing `/` marks a folder. */
export const homeCredentials: readonly string[] = [
  '.conda/.condarc',
  '.dotnet/corefx/',
  '.hex/hex.config',
  '.ivy2/.credentials',
  '.julia/servers/',
  '.local/share/uv/credentials/',
  '.npm/_logs/',
  '.pub-cache/credentials.json',
  '.stack/upload/',
]
