import type { Configuration } from 'electron-builder'

/** How `npm run package` makes installers. scripts/package.mjs hands it to electron-builder. */
const configuration: Configuration = {
  appId: 'io.github.tizona',
  productName: 'Tizona',
  copyright: 'MIT licence',
  directories: { output: 'dist', buildResources: 'resources/icons' },
  // Packages of `dependencies` come along by themselves.
  files: [
    'out/**',
    '!out/**/*.map',
    '!out/.built',
    '!out/main/storyHost.js',
    // For commands that Node runs. Electron runs those of an installed application.
    '!out/main/chunks/*.cjs',
    // For the browser host, which installers do not contain.
    '!out/renderer/assets/*.br',
    'resources/**',
    'package.json',
    '!**/*.test.*',
    // Of a grammar only its .wasm is used; the grammars that @vscode/tree-sitter-wasm has as well come from there (code/index/languages.ts).
    '!**/node_modules/{@tree-sitter-grammars/*,tree-sitter-json}/{prebuilds,src,bindings}/**',
    '!**/node_modules/@repomix/tree-sitter-wasms/out/tree-sitter-{c_sharp,cpp,css,go,java,javascript,php,python,ruby,rust,tsx,typescript}.wasm',
    // Of node-llama-cpp, the sources of llama.cpp and the builds for other processors are not used.
    '!**/node_modules/node-llama-cpp/llama/gitRelease.bundle',
    '!**/node_modules/node-llama-cpp/{llama/addon,llama/llama.cpp,templates}/**',
    ...(process.arch === 'x64' ? ['!**/node_modules/@node-llama-cpp/linux-{arm64,armv7l,riscv64}/**'] : []),
  ],
  asar: true,
  // What is executed, mapped or copied as a file cannot stay inside the archive.
  asarUnpack: [
    '**/node_modules/node-pty/**',
    '**/node_modules/@vscode/ripgrep*/**',
    '**/node_modules/@typescript/**',
    '**/node_modules/@node-llama-cpp/**',
    '**/*.wasm',
    'resources/**',
  ],
  // electron-builder leaves out the types of all packages. Those of TypeScript's standard library are read by its server.
  extraResources: [
    {
      from: 'node_modules/@typescript',
      to: 'app.asar.unpacked/node_modules/@typescript',
      filter: ['**/lib/*.d.ts'],
    },
  ],
  // node-pty speaks N-API: the build from the install serves Electron too.
  npmRebuild: false,
  electronFuses: {
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableCookieEncryption: true,
    onlyLoadAppFromAsar: true,
    // Checked by Electron on macOS and Windows only (docs/security.md).
    enableEmbeddedAsarIntegrityValidation: true,
    grantFileProtocolExtraPrivileges: false,
    // The fuses change the binary. Apple Silicon starts it only with a valid signature, and without a certificate
    // nothing else signs it.
    resetAdHocDarwinSignature: true,
  },
  linux: {
    target: ['AppImage', 'deb'],
    executableName: 'tizona',
    category: 'Development',
    synopsis: 'A code editor with an agent panel for local models',
    maintainer: 'Tizona <noreply@tizona.invalid>',
  },
  mac: { target: ['dmg'], category: 'public.app-category.developer-tools', darkModeSupport: true },
  win: { target: ['nsis'] },
  nsis: {
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    // A release would replace the blanks of the default name, so that SHA256SUMS names another file.
    artifactName: '${productName}-Setup-${version}.${ext}',
  },
  publish: null,
}

export default configuration
