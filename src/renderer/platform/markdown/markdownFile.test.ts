import { expect, it } from 'vitest'
import { pathFrom } from './markdownFile.ts'

it('resolves paths from the folder of the file, and keeps those that leave the workspace for main to reject', () => {
  expect(pathFrom('docs/guide/a.md', '../pictures/x.png')).toBe('docs/pictures/x.png')
  expect(pathFrom('docs/a.md', '/x.png')).toBe('x.png')
  expect(pathFrom('a.md', './x.png')).toBe('x.png')
  expect(pathFrom('a.md', '../../x.png')).toBe('../../x.png')
  expect(pathFrom(null, 'src/a.ts')).toBe('src/a.ts')
})
