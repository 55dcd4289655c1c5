import react from '@vitejs/plugin-react'
import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import { bundleCommands } from './scripts/lib/bundleCommands.mjs'
import { bundleWorkers } from './scripts/lib/bundleWorkers.mjs'
import { compressAssets } from './scripts/lib/compressAssets.mjs'
import { directBuiltins } from './scripts/lib/directBuiltins.mjs'
import { oneIconFont } from './scripts/lib/iconFont.mjs'
import { toolSchemas } from './scripts/lib/toolSchemas.mjs'

/** Files of threads and processes, by the name under which they are started. */
export const workers = {
  // Started as a process by base/isolatedJob.ts, and by that the four after it as workers.
  isolatedJobProcess: resolve('src/main/base/isolatedJobProcess.ts'),
  htmlWorker: resolve('src/main/web/htmlWorker.ts'),
  extractWorker: resolve('src/main/extract/extractWorker.ts'),
  expressionWorker: resolve('src/main/settings/extensions/expressionWorker.ts'),
  storeCopyWorker: resolve('src/main/history/storeCopyWorker.ts'),
  // Started as a worker by edit/editRunner.ts.
  editWorker: resolve('src/main/edit/editWorker.ts'),
  // Started as a thread by workspace/watcher.ts.
  watchWorker: resolve('src/main/workspace/watchWorker.ts'),
  // Started as a thread by workspaceServices/scanThread.ts.
  scanWorker: resolve('src/main/workspaceServices/scanWorker.ts'),
  // Started as a thread by tasks/lineMatcher.ts.
  lineMatcherWorker: resolve('src/main/tasks/lineMatcherWorker.ts'),
  // Started as a thread by history/checkpoints/readingThread.ts.
  checkpointWorker: resolve('src/main/history/checkpoints/checkpointWorker.ts'),
  // Started as a process by lsp/launchServer.ts.
  javascriptServerEntry: resolve('src/main/lsp/javascriptServerEntry.ts'),
  // Started as a process by model/file/modelFileConnection.ts.
  modelFileProcess: resolve('src/main/model/file/modelFileProcess.ts'),
  // Started as a process by code/process/indexClient.ts, and by that as its watchdog thread and
  // as threads that read files.
  indexProcess: resolve('src/main/code/process/indexProcess.ts'),
  indexWatchdog: resolve('src/main/code/process/indexWatchdog.ts'),
  readerWorker: resolve('src/main/code/process/readerWorker.ts'),
}

/**
 * Three builds: main (the applications, with the workers in a bundle of their own), preload, renderer. Packages in
 * `dependencies` stay external in main: node-pty and ripgrep are native and must be found on disk. Small packages of
 * plain JavaScript that each start loads are bundled, because finding and reading their files takes longer than running
 * them.
 */
export default defineConfig({
  main: {
    plugins: [
      {
        name: 'direct-builtins',
        apply: 'build',
        renderChunk: async (code) => ({ code: await directBuiltins(code), map: null }),
      },
      toolSchemas(),
      bundleWorkers(workers),
      bundleCommands('commandDispatch'),
    ],
    build: {
      // Packages of `optionalDependencies` are not external by default.
      externalizeDeps: {
        include: ['node-llama-cpp', '@huggingface/jinja'],
        exclude: ['zod', 'diff', 'jsonrepair', 'ipaddr.js', 'eventsource-parser', 'jsonc-parser', 'ws'],
      },
      sourcemap: true,
      rollupOptions: {
        // Without comments and blanks there is half as much to read at each start. Names stay, for the log.
        output: {
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
          // V8 keeps a source with any other character as two bytes per character.
          charset: 'ascii',
          // Few large files, because each file takes up to a millisecond of a start.
          codeSplitting: {
            groups: [
              // Evaluated before the cache of compiled modules is in use, so it must not contain more.
              {
                name: 'beforeCache',
                test: /\/(zodConfig|compileCache|hosts\/installation)\.ts$|rolldown.runtime/,
                priority: 3,
              },
              { name: 'core', test: /\/src\/main\/core\.ts$/, priority: 2 },
              { name: 'commands', test: /\/headless\/commandDispatch\.ts$/, priority: 1 },
            ],
          },
        },
        input: {
          index: resolve('src/main/index.ts'),
          serve: resolve('src/main/serve.ts'),
          // Runs the hosts of stories; not in installers.
          storyHost: resolve('src/main/hosts/testing/storyHost.ts'),
          headless: resolve('src/main/headless.ts'),
          // The server on a remote machine.
          remote: resolve('src/main/remote.ts'),
        },
      },
    },
  },
  preload: {
    build: {
      // Bundled whole: a sandboxed preload may require `electron`, `events`, `timers` and `url`, and no package.
      externalizeDeps: false,
      // A sandboxed preload is loaded as CommonJS.
      rollupOptions: {
        input: { index: resolve('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [
      react(),
      oneIconFont(),
      {
        name: 'compress-assets',
        apply: 'build',
        writeBundle: ({ dir }) => compressAssets(resolve(dir ?? '', 'assets')),
      },
    ],
    resolve: {
      alias: [
        // monaco-vim imports Monaco by paths of older versions, and its bundle for browsers has no module format.
        { find: /^monaco-editor\/esm\/vs\/(.*)$/, replacement: 'monaco-editor/$1' },
        { find: /^monaco-vim$/, replacement: resolve('node_modules/monaco-vim/dist/index.mjs') },
      ],
    },
    worker: { format: 'es' },
    build: {
      minify: true,
      rollupOptions: {
        input: resolve('src/renderer/index.html'),
        // One file for what each start needs: dozens of small ones take longer to fetch and compress worse.
        output: { codeSplitting: { groups: [{ name: 'window', tags: ['$initial'] }] } },
      },
    },
  },
})
