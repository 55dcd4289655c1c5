/** Variables set by Tizona, Electron or npm, and variables that would change the meaning of a command line. */
const dropped = [
  /^ELECTRON_/,
  /^CHROME_/,
  /^ORIGINAL_XDG_CURRENT_DESKTOP$/,
  /^TIZONA_/,
  /^npm_/i,
  /^INIT_CWD$/,
  /^NODE_OPTIONS$/,
  /^NODE_ENV$/,
  /^NODE_CHANNEL_/,
  // rc files of non-interactive shells, and exported functions that would override programs
  /^BASH_ENV$/,
  /^ENV$/,
  /^BASH_FUNC_/,
  // describe the terminal in which Tizona was started
  /^TERM_PROGRAM/,
  /^TMUX/,
  /^STY$/,
  /^WINDOW(ID)?$/,
  /^COLUMNS$/,
  /^LINES$/,
  /^TERMCAP$/,
]

/**
 * Variables of the system, toolchains and compilers, which are passed to commands. An allow list, because variables
 * that contain keys can have any name.
 */
const allowed = [
  // the user and the system
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TMPDIR|HOSTNAME|PWD|EDITOR|VISUAL|LS_COLORS|MANPATH|INFOPATH)$/,
  /^LC_\w+$/,
  /^XDG_\w+$/,
  /^(?:DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|GPG_TTY)$/,
  /^(?:WSL_DISTRO_NAME|WSLENV|WSL_INTEROP)$/,
  /^(?:https?|ftp|all|no)_proxy$/i,
  /^(?:SSL_CERT_FILE|SSL_CERT_DIR|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO)$/,
  /^(?:CI|DEBUG|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORFGBG)$/,
  // Windows
  /^(?:SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|TEMP|TMP|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles(?:\(x86\))?|ProgramW6432|CommonProgramFiles(?:\(x86\))?|PUBLIC|NUMBER_OF_PROCESSORS|PROCESSOR_\w+|OS|PSModulePath|COMPUTERNAME)$/i,
  // toolchains and package managers
  /^(?:GO|CGO_|CARGO_|RUST|NVM_|VOLTA_|FNM_|ASDF_|MISE_|PYENV_|CONDA_|UV_|PIP_|POETRY_|PIPX_|DENO_|BUN_|PNPM_|COREPACK_|YARN_|GEM_|RBENV_|RVM_|JAVA_|JDK_|MAVEN_|GRADLE_|SDKMAN_|ANDROID_|DOTNET_|NUGET_|NIX_|HOMEBREW_|OPAM|GHCUP_|STACK_|CABAL_|JULIA_|PLAYWRIGHT_|PUPPETEER_|CYPRESS_|VCPKG_|CONAN_|CMAKE_|MESON_|NINJA_|CCACHE_|SCCACHE_)\w*$/,
  /^(?:VIRTUAL_ENV|PYTHON\w+|NODE_PATH|PERL5LIB|PERL_\w+|RUBYLIB|RUBYOPT|M2_HOME|MAKEFLAGS|PKG_CONFIG_\w+|LD_LIBRARY_PATH|LIBRARY_PATH|CPATH|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH)$/,
  /^(?:CC|CXX|AR|LD|AS|NM|RANLIB|STRIP|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS)$/,
  // git's identity, without its credentials
  /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/,
  /^BUNDLE_(?:PATH|GEMFILE|WITHOUT|JOBS)$/,
  /^(?:DOCKER_HOST|DOCKER_CONTEXT|KUBECONFIG)$/,
]

/**
 * Parts of the names of variables with keys and passwords. These variables are dropped even if their name is allowed.
 */
const secretName =
  /(?:^|_)(?:TOKENS?|SECRETS?|PASSWORD|PASSWD|PASS|PASSPHRASE|APIKEY|KEYS?|CREDENTIALS?|AUTH|COOKIE|SESSION)(?:_|$)|PRIVATE_?KEY|ACCESS_?KEY|API_?KEY/i

/** Names that look secret but are not. */
const noSecret = /^(?:SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_SESSION_\w+|GPG_TTY)$/

/** Proxy URLs need their passwords. */
const proxy = /_proxy$/i

/** Removes user names, passwords and tokens from URLs, such as the URL of a package index. */
export function withoutUserInfo(text: string): string {
  // A password may contain an unescaped `@`. SSH user names are kept, because they are not secret.
  return text.replaceAll(/(ssh:)?\/\/[^\s/?#]*@/g, (whole, ssh?: string) => (ssh === undefined ? '//' : whole))
}

/**
 * Returns the environment for commands: known variables without keys, and without passwords in URLs. If npm started
 * Tizona, removes the folders that npm put first on PATH, so that `node` is the user's.
 * @param passed names of extra variables that the user wants to pass, even if they look secret
 */
export function commandEnvironment(source: NodeJS.ProcessEnv, passed: readonly string[] = []): Record<string, string> {
  const environment = Object.entries(terminalEnvironment(source)).filter(
    ([name]) =>
      passed.includes(name) ||
      terminalVariables.has(name) ||
      (allowed.some((pattern) => pattern.test(name)) && (noSecret.test(name) || !secretName.test(name))),
  )
  return Object.fromEntries(
    environment.map(([name, value]) => [
      name,
      passed.includes(name) || proxy.test(name) ? value : withoutUserInfo(value),
    ]),
  )
}

const terminalVariables = new Set(['TERM', 'COLORTERM'])

/**
 * Returns the environment for the user's own terminals: all variables except the ones that Tizona, Electron and npm
 * set.
 */
export function terminalEnvironment(source: NodeJS.ProcessEnv): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && !dropped.some((pattern) => pattern.test(name))) environment[name] = value
  }
  if (source.npm_lifecycle_event !== undefined && environment.PATH !== undefined)
    environment.PATH = withoutNpmFolders(environment.PATH)
  return { ...environment, TERM: 'xterm-256color', COLORTERM: 'truecolor' }
}

function withoutNpmFolders(path: string): string {
  const delimiter = process.platform === 'win32' ? ';' : ':'
  const folders = path.split(delimiter)
  const first = folders.findIndex((folder) => !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/.test(folder))
  return (first < 0 ? [] : folders.slice(first)).join(delimiter)
}
