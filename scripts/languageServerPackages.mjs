import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Writes src/main/lsp/install/serverPackages.json: the language servers that Tizona can install, with all packages that
// they need, their versions and the SHA-512 of their archives. Run it after a change of the versions below.

const versions = {
  basedpyright: '1.40.1',
  'bash-language-server': '5.8.1',
  'yaml-language-server': '2.0.0',
  'vscode-langservers-extracted': '4.10.0',
}

const result = {}
for (const [name, version] of Object.entries(versions)) {
  const folder = mkdtempSync(join(tmpdir(), 'tizona-packages-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const options = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
    execFileSync('npm', ['install', ...options, `${name}@${version}`], { cwd: folder, stdio: 'inherit' })
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
    result[name] = Object.entries(packages).flatMap(([path, entry]) => {
      if (path === '') return []
      if (!entry.integrity?.startsWith('sha512-')) throw new Error(`${path} of ${name} has no SHA-512.`)
      const { version: exact, integrity, os } = entry
      return [{ path, version: exact, integrity, ...(os && { os }) }]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const file = join(import.meta.dirname, '../src/main/lsp/install/serverPackages.json')
writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
