import { expect, it } from 'vitest'
import { createPlaceRules } from './placeRules.ts'
import { isProtectedPath, isSecretPath } from './protectedPaths.ts'

it.each([
  '.git/config',
  '.git',
  './.git/hooks/pre-commit',
  'packages/a/.git/config',
  '/work/.git/config',
  'src/../.git/config',
  '.git\\config',
  '.GIT/config',
  '.Git/config',
  '.g\u200cit/config',
  '.git\u200b/config',
  '.git./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  'GIT~1/config',
  '.tizona/settings.json',
  '.vscode/tasks.json',
  '.idea/workspace.xml',
  '.husky/pre-commit',
  '.bashrc',
  'home/.profile',
  '.zshrc',
  '.envrc',
  '.gitmodules',
  '.npmrc',
  '.BASHRC',
  '.zshrc/',
  'AGENTS.md',
  'packages/a/agents.MD',
  'CLAUDE.md',
  'GEMINI.md',
  '.cursorrules',
  '.windsurfrules',
  '.github/workflows/ci.yml',
  '.github/copilot-instructions.md',
  '.claude/skills/deploy/SKILL.md',
  'docs/prompts/review.prompt.md',
  '.gitlab-ci.yml',
  '.circleci/config.yml',
  'Jenkinsfile',
  '.cargo/config',
  'crates/a/.cargo/config.toml',
  '.devcontainer/devcontainer.json',
  '.devcontainer.json',
  'project.code-workspace',
  'lefthook.yml',
  '.pre-commit-config.yaml',
  '.overcommit.yml',
  'mise.toml',
  '.mise.local.toml',
  '.mise/config.toml',
  '.tool-versions',
  '.mvn/jvm.config',
  'gradle/wrapper/gradle-wrapper.properties',
  'gradlew',
  '.zed/tasks.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  '.hg/hgrc',
  '.jj/repo/config.toml',
  '.Rprofile',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  'node_modules/.bin/eslint',
  '.ssh/authorized_keys',
  '.config/autostart/a.desktop',
  '.local/bin/git',
  'Library/LaunchAgents/a.plist',
  'venv/lib/python3.12/site-packages/sitecustomize.py',
  'venv/lib/python3.12/site-packages/evil.pth',
  '.kiro/hooks/save.kiro.hook',
  '.dir-locals-2.el',
  'default.nix',
  '.pnp.cjs',
  '.bazelversion',
  '.jvmopts',
  '.pdbrc',
  'apps/web/.iex.exs',
])('%j is protected', (path) => {
  expect(isProtectedPath(path)).toBe(true)
})

it.each([
  'src/main.ts',
  '.gitignore',
  'github/workflows/ci.yml',
  'git/config',
  'docs/.gitkeep',
  'my.git.txt',
  '.bashrc.md',
  'vscode/settings.json',
  'bashrc',
  '.',
  'local/bin/git',
  'cargo/config.toml',
  '.cargo/registry/a',
  'gradle/libs.versions.toml',
  'src/agents.ts',
  'mise.md',
  'config/settings.json',
  'prompt.md',
])('%j is not protected', (path) => {
  expect(isProtectedPath(path)).toBe(false)
})

it.each([
  '.env',
  'apps/web/.env',
  '.env.local',
  '.ENV.production',
  'prod.env',
  '.envrc',
  'certs/server.pem',
  'server.key',
  'id_rsa',
  'keys/id_ed25519',
  '.ssh/config',
  '.netrc',
  '.aws/credentials',
  '.kube/config',
  '.docker/config.json',
  'credentials.json',
  'client_secret_1234.json',
  'infra/terraform.tfstate',
  '.cargo/credentials.toml',
  '.git-credentials',
  '.bash_history',
  'id_server.key',
  'keys/id_rsa.pem',
  'id_rsa.bak',
  'id_ed25519_work',
  'id_deploy',
])('%j is secret', (path) => {
  expect(isSecretPath(path)).toBe(true)
})

it.each([
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.local.example',
  'example.env',
  'src/env.ts',
  'src/id_map.ts',
  'id_rsa.pub',
  'docs/keys.md',
  'keyboard.ts',
  'i18n/en/auth.json',
  'src/credentials.ts',
  '.docker/Dockerfile',
])('%j is not secret', (path) => {
  expect(isSecretPath(path)).toBe(false)
})

it('the user can add places, but cannot remove built-in ones', () => {
  const rules = createPlaceRules({
    protected: '# infrastructure\ndeploy/\n*.tf\n!.git/\n',
    secret: './tokens/*.txt\n',
  })
  expect(rules.protection('deploy/prod.sh')).toBe('Your settings protect it')
  expect(rules.protection('infra/main.tf')).toBeDefined()
  expect(rules.protection('src/deploy.ts')).toBeUndefined()
  expect(rules.protection('.git/config')).toBeDefined()
  expect(rules.secret('tokens/a.txt')).toBeDefined()
  expect(rules.secret('tokens/a.md')).toBeUndefined()
})
