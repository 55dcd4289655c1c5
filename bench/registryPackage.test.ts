import { afterEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../src/main/tools/testing/toolContext.ts'
import { installPackage } from './registryPackage.ts'

afterEach(() => vi.unstubAllEnvs())

it('a package is not installed without npm, and the reason is returned', async () => {
  const home = await temporaryFolder()
  vi.stubEnv('PATH', home.root)
  const needed = { name: 'needed', version: '1.0.0' }
  expect(await installPackage(home.root, needed)).toMatch(/^npm could not install needed@1\.0\.0 \(.*ENOENT\)$/)
  await home.remove()
})
