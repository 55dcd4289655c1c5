import { runInThisContext } from 'node:vm'
import { expect, it } from 'vitest'
import { checkInstances, moduleFunction } from './bundleCommands.mjs'

it('a module becomes a function that imports with what it is given, and leaves text that looks like an import', async () => {
  const code = 'exports.a = () => [import(`tar`), import("x"), "import(1)"]'
  const text = await moduleFunction(code)
  const run = runInThisContext(text)
  const exports = {}
  run(exports, undefined, undefined, '', '', (name) => `imported ${name}`)
  expect(exports.a()).toEqual(['imported tar', 'imported x', 'import(1)'])
})

it('a package that is required and imported is refused, because it would be loaded twice', () => {
  const chunk = (imports, dynamicImports) => ({ type: 'chunk', imports, dynamicImports })
  const files = [chunk(['tar', 'a.cjs'], ['a.cjs']), chunk([], ['zod']), { type: 'asset' }]
  expect(() => checkInstances(files)).not.toThrow()
  expect(() => checkInstances([...files, chunk([], ['tar'])])).toThrow('import and require tar.')
})
