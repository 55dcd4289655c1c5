/*
 * The complete list of places in a workspace that need the user's approval in every mode. Users can add more in the
 * settings. A test keeps the table in docs/security.md in sync.
 */

/** Why a write to a protected place can run code later. */
export const protectedKinds = {
  versionControl: 'Version control runs programs that its configuration and hooks name',
  instructions: 'Agents follow these instructions in later conversations',
  ci: "A CI server runs it with the project's secrets",
  editor: 'Editors and development containers run its tasks and settings when they open the folder',
  hooks: 'A hook manager runs it at the next commit',
  environment: 'The shell or a version manager runs it when you enter the folder',
  packages: 'A package manager or build tool applies it before it runs anything else',
  interpreter: 'Interpreters or debuggers run it when they start',
  shell: 'Shells run it when they start',
  system: 'The system or another program runs it, or trusts it, at the next login',
} as const
export type ProtectedKind = keyof typeof protectedKinds

/** Why reading a place needs approval. */
export const secretKinds = {
  environment: 'Environment files hold passwords and tokens',
  keys: 'Private keys give access to other systems',
  sshKeys: 'SSH keys give access to other systems',
  credentials: 'It holds credentials of a tool or cloud service',
  history: 'Histories and browser profiles contain what you typed',
  sockets: 'It gives control over containers, your signing keys or your screen',
} as const
export type SecretKind = keyof typeof secretKinds

/**
 * Patterns, separated by spaces. A pattern is one name or several names separated by `/`, at any depth. `*` stands for
 * any characters in a name. A trailing `/` marks a folder with everything in it; without it, the pattern is a file.
 */
export type Patterns = string

/** Files and folders that a call may write, move or delete only with approval. */
export const protectedPlaces: Readonly<Record<ProtectedKind, Patterns>> = {
  versionControl: '.git/ .hg/ .jj/ .svn/ .gitmodules .gitconfig .hgrc',
  instructions:
    'AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md SKILL.md .cursorrules ' +
    '.windsurfrules .clinerules .clinerules/ .roorules .rules .goosehints copilot-instructions.md *.instructions.md ' +
    '*.prompt.md *.chatmode.md *.agent.md .tizona/ .agents/ .claude/ .codex/ .cursor/ .gemini/ .qwen/ .opencode/ ' +
    'opencode.json opencode.jsonc .crush/ .roo/ .kilocode/ .windsurf/ .continue/ .amazonq/ .augment/ .aider.conf.yml ' +
    '.mcp.json mcp.json .agent/ .kiro/ .junie/ .factory/ .openhands/ .trae/ .goose/ .copilot/ .warp/ WARP.md .iflow/ IFLOW.md ' +
    '.codebuddy/ CODEBUDDY.md',
  ci:
    '.github/ .gitlab/ .gitlab-ci.yml .gitlab-ci.yaml .forgejo/ .gitea/ .circleci/ .buildkite/ .woodpecker/ ' +
    '.woodpecker.yml .woodpecker.yaml .drone.yml .travis.yml .cirrus.yml .builds/ .build.yml .teamcity/ .semaphore/ ' +
    '.azure-pipelines/ azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml Jenkinsfile appveyor.yml ' +
    '.appveyor.yml cloudbuild.yaml cloudbuild.yml buildspec.yml',
  editor:
    '.vscode/ .idea/ .zed/ .fleet/ .vs/ .helix/ .vim/ .emacs.d/ .devcontainer/ .devcontainer.json *.code-workspace ' +
    '*.sublime-project .gitpod.yml .idx/ .replit .exrc .vimrc .nvimrc .nvim.lua .emacs .dir-locals.el ' +
    '.dir-locals-2.el .gvimrc .lvimrc .ycm_extra_conf.py .externalToolBuilders/',
  hooks:
    '.husky/ .githooks/ .git-hooks/ .lefthook/ lefthook.* .lefthook.* lefthook-local.* .pre-commit-config.yaml ' +
    '.pre-commit-config.yml .overcommit.yml .git_hooks/ .simple-git-hooks.* simple-git-hooks.* .lintstagedrc ' +
    '.lintstagedrc.* lint-staged.config.* prek.toml',
  environment:
    '.envrc .direnvrc .direnv/ mise.toml mise.*.toml .mise.toml .mise.*.toml .mise/ .tool-versions .asdfrc .rtx.toml ' +
    'devbox.json devenv.nix devenv.yaml flake.nix shell.nix default.nix .flox/ .prototools .sdkmanrc .autoenv .autoenv.zsh',
  packages:
    '.npmrc .yarnrc .yarnrc.yml .yarn/releases/ .yarn/plugins/ .pnpmfile.* bunfig.toml node_modules/.bin/ .cargo/config .cargo/config.toml ' +
    '.cargo/bin/ rust-toolchain rust-toolchain.toml .mvn/ mvnw mvnw.cmd gradlew gradlew.bat gradle/wrapper/ ' +
    '.gradle/init.d/ init.gradle init.gradle.kts .bundle/ .gemrc pip.conf .pydistutils.cfg .condarc .bazelrc ' +
    '.bazeliskrc nuget.config .swiftpm/ .ripgreprc .pnp.cjs .pnp.js .pnp.loader.mjs .yarn/sdks/ .bazelversion .jvmopts .sbtopts ' +
    '.mill-jvm-opts',
  interpreter:
    'sitecustomize.py usercustomize.py site-packages/*.pth dist-packages/*.pth .pythonrc .pythonrc.py .Rprofile .Renviron .irbrc .pryrc .ghci .octaverc ' +
    '.gdbinit .lldbinit .psqlrc .sqliterc .curlrc .wgetrc .pdbrc .iex.exs .erlang .ocamlinit .gnuplot .perldb .rspec .byebugrc .rdbgrc .lessfilter',
  shell:
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .zshrc .zshenv .zprofile ' +
    '.zlogin .zlogout .kshrc .cshrc .tcshrc .login .logout .inputrc .screenrc .tmux.conf .xinitrc .xprofile .xsession ' +
    '.xsessionrc .pam_environment profile.ps1 *_profile.ps1',
  system:
    '.ssh/ .gnupg/ .config/ .local/bin/ .local/share/applications/ .local/share/systemd/ autostart/ LaunchAgents/ ' +
    'LaunchDaemons/ Programs/Startup/ authorized_keys .crontab .docker/ .kube/ .aws/ .tizona/',
}

/** Places that also need approval to be read. Searches, the code index and diffs leave them out. */
export const secretPlaces: Readonly<Record<SecretKind, { patterns: Patterns; except?: Patterns }>> = {
  environment: {
    patterns:
      '.env .env.* .env-* .env_* *.env .envrc .dev.vars .secrets .secrets/ secrets.json secrets.yml secrets.yaml secrets.toml',
    except:
      '*.example *.sample *.template *.dist *.defaults example.env sample.env template.env *.example.env *.sample.env',
  },
  keys: {
    patterns:
      '*.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.asc.key id_*.bak id_*.old id_*.orig ' +
      '.ssh/ .gnupg/ .password-store/',
  },
  sshKeys: {
    patterns: 'id_*',
    // A file such as `id_map.ts` is not a key.
    except: 'id_*.*',
  },
  credentials: {
    patterns:
      '.netrc _netrc .pgpass .my.cnf .mylogin.cnf .htpasswd .git-credentials .pypirc .dockercfg .docker/config.json .aws/ ' +
      '.azure/ .kube/ kubeconfig .config/gcloud/ .config/gh/ .config/glab-cli/ .config/op/ .config/github-copilot/ ' +
      '.terraformrc terraform.rc .terraform.d/ *.tfstate *.tfstate.backup credentials.json client_secret*.json ' +
      'service-account*.json service_account*.json serviceAccount*.json application_default_credentials.json ' +
      '.vault-token .vault_pass .cargo/credentials .cargo/credentials.toml .gem/credentials .composer/auth.json ' +
      '.codex/auth.json .claude/.credentials.json .local/share/opencode/ .m2/settings.xml .m2/settings-security.xml ' +
      '.local/share/keyrings/ Library/Keychains/ .local/share/kwalletd/ .anaconda/keyring .config/1Password/ .1password/ ' +
      '.gemini/oauth_creds.json .config/hub .config/rclone/ .config/doctl/ .config/containers/auth.json ' +
      '.config/composer/auth.json .config/stripe/ .config/netlify/ .config/heroku/ .config/fly/ .fly/ ' +
      '.pulumi/credentials.json .vercel/auth.json .local/share/com.vercel.cli/ .railway/ .databrickscfg .snowflake/ ' +
      '.oci/ .bluemix/ .boto .s3cfg .mc/config.json .kaggle/ .huggingface/ .cache/huggingface/token .config/sops/ .age/ ' +
      '.gradle/gradle.properties .nuget/NuGet/NuGet.Config .subversion/auth/ .wakatime.cfg .config/filezilla/ ' +
      '.config/remmina/ .openvpn/ *.ovpn .bitcoin/ .ethereum/ .electrum/ .foundry/keystores/ .config/solana/',
  },
  history: {
    patterns:
      '.bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .lesshst .viminfo ' +
      '.fish_history fish_history .sqlite_history .rediscli_history .irb_history .mozilla/ .thunderbird/ ' +
      '.config/google-chrome/ .config/chromium/ .config/BraveSoftware/ .config/microsoft-edge/ .config/vivaldi/ ' +
      '.config/opera/ .config/Slack/ .config/discord/ .config/Code/User/globalStorage/',
  },
  sockets: {
    patterns:
      'docker.sock podman.sock containerd.sock agent.sock S.gpg-agent S.gpg-agent.* .Xauthority .ICEauthority ' +
      '.docker/desktop/ .docker/run/ .colima/ .orbstack/ .lima/',
  },
}
