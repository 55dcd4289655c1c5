import { expect, it } from 'vitest'
import { isProtectedPath } from './protectedPaths.ts'

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
])('%j is protected', (path) => {
  expect(isProtectedPath(path)).toBe(true)
})

it.each([
  'src/main.ts',
  '.gitignore',
  '.github/workflows/ci.yml',
  'git/config',
  'docs/.gitkeep',
  'my.git.txt',
  '.bashrc.md',
  'vscode/settings.json',
  'bashrc',
  '.',
])('%j is not protected', (path) => {
  expect(isProtectedPath(path)).toBe(false)
})
