import { init, parse } from 'es-module-lexer'
import { readFile, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { build } from 'vite'

/** Name of the bundle in the folder of the chunks. */
const bundleName = 'commands.cjs'

/**
 * Bundles the commands once more, as a script, because Node can keep what V8 compiles of a script while it runs
 * (src/main/hosts/compiledScript.ts). Reads the finished chunks.
 * @param {string} chunkName the chunk that exports the commands
 * @returns {import('vite').Plugin}
 */
export function bundleCommands(chunkName) {
  return {
    name: 'bundle-commands',
    apply: 'build',
    async writeBundle({ dir = '' }, files) {
      const chunk = Object.values(files).find((file) => file.type === 'chunk' && file.name === chunkName)
      if (!chunk) throw new Error(`The build has no chunk ${chunkName}.`)
      const folder = join(dir, 'chunks')
      const built = await build({
        configFile: false,
        logLevel: 'warn',
        // Not `__filename` or `require`: a chunk with a package in CommonJS makes variables with these names.
        define: {
          'import.meta': '{"dirname":module.path,"filename":module.filename}',
          'import.meta.dirname': 'module.path',
          'import.meta.filename': 'module.filename',
          'import.meta.url': 'process.getBuiltinModule("node:url").pathToFileURL(module.filename).href',
        },
        build: {
          ssr: join(dir, chunk.fileName),
          outDir: folder,
          emptyOutDir: false,
          copyPublicDir: false,
          minify: false,
          rolldownOptions: {
            external: (id) => !id.startsWith('.') && !isAbsolute(id),
            treeshake: false,
            output: {
              format: 'cjs',
              strict: true,
              entryFileNames: bundleName,
              chunkFileNames: '[name].cjs',
              minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
              charset: 'ascii',
            },
          },
        },
      })
      checkInstances([built].flat().flatMap(({ output }) => output))
      const file = join(folder, bundleName)
      await writeFile(file, await moduleFunction(await readFile(file, 'utf8')))
    },
  }
}

/**
 * A package that one file requires and another imports would be loaded twice, with a state each. @throws Error
 * @param {readonly { type: string, imports?: string[], dynamicImports?: string[] }[]} files
 */
export function checkInstances(files) {
  const named = (/** @type {'imports' | 'dynamicImports'} */ kind) =>
    files.flatMap((file) => file[kind] ?? []).filter((name) => !name.endsWith('.cjs'))
  const required = new Set(named('imports'))
  const twice = named('dynamicImports').filter((name) => required.has(name))
  if (twice.length > 0)
    throw new Error(`The commands import and require ${twice.join(', ')}. Use only import() for it, or only import.`)
}

/**
 * Makes a CommonJS module an expression, which is the function that Node would make of it. A script cannot use
 * `import()`, so the function gets one.
 * @param {string} code
 */
export async function moduleFunction(code) {
  await init
  const [imports] = parse(code)
  let body = code
  for (const { d: dynamic, ss: start } of imports.toReversed())
    if (dynamic > -1) body = `${body.slice(0, start)}dynamicImport${body.slice(dynamic)}`
  return `(function (exports, require, module, __filename, __dirname, dynamicImport) {${body}\n})`
}
