import { build } from 'vite'

/**
 * Bundles the files of worker threads and processes apart from the application. In one bundle, each module that both use
 * would be in a small file of its own: 45 files, which every start finds, reads and links.
 * @param {Record<string, string>} input the file of each worker, by the name of its bundle
 * @returns {import('vite').Plugin}
 */
export function bundleWorkers(input) {
  /** @type {import('vite').ResolvedConfig} */
  let application
  return {
    name: 'bundle-workers',
    apply: 'build',
    configResolved(config) {
      application = config
    },
    async buildStart() {
      const { root, build: options, plugins } = application
      const { external, output } = options.rolldownOptions
      const { minify, charset } = [output].flat()[0] ?? {}
      const result = await build({
        configFile: false,
        root,
        logLevel: 'warn',
        plugins: plugins.filter(({ name }) => name === 'direct-builtins'),
        ssr: { noExternal: true, resolve: application.ssr.resolve },
        build: {
          ssr: true,
          write: false,
          copyPublicDir: false,
          assetsDir: options.assetsDir,
          target: options.target,
          minify: false,
          sourcemap: options.sourcemap,
          rolldownOptions: { input, external, output: { minify, charset } },
        },
      })
      for (const { output: files } of [result].flat())
        for (const file of files) {
          const isChunk = file.type === 'chunk'
          if (isChunk) for (const module of file.moduleIds) this.addWatchFile(module)
          this.emitFile({ type: 'asset', fileName: file.fileName, source: isChunk ? file.code : file.source })
        }
    },
  }
}
