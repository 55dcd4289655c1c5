import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { disabledPrograms } from './repositoryConfiguration.ts'

it('filters and hooks that the configuration names are turned off by name', async () => {
  const folder = await temporaryFolder()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder.root, stdio: 'ignore' })
  git('init', '-q')
  git('config', 'filter.x.y.clean', './evil.sh')
  git('config', 'hook.lint.command', './evil.sh')
  git('config', 'hook.lint.event', 'pre-commit')
  const places = { gitDir: path.join(folder.root, '.git'), workTree: folder.root }
  expect(await disabledPrograms(places, new AbortController().signal)).toMatchObject({
    'filter.x.y.clean': '',
    'filter.x.y.required': 'false',
    'hook.lint.enabled': 'false',
  })
  await folder.remove()
})
