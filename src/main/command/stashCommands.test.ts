import { expect, it } from 'vitest'
import { changesStash } from './stashCommands.ts'

it.each([
  'git stash',
  'git stash -u',
  'git stash push -m x && git checkout main',
  'cd a; git -C b -c core.pager=cat stash pop',
  'echo "$(git stash drop)"',
  'env A=1 /usr/bin/git stash clear',
])('%s changes the stash', async (line) => {
  expect(await changesStash(line)).toBe(true)
})

it.each([
  'git stash list',
  'git stash show -p',
  'git stash create',
  'echo git stash',
  'git log stash',
  'git commit -m "git stash"',
  'ls',
])('%s does not change it', async (line) => {
  expect(await changesStash(line)).toBe(false)
})
