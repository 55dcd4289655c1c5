import { expect, test } from 'vitest'
import { installCommandOf } from './systemPackage.ts'

const on = (platform: string, ...programs: string[]) => ({ platform, has: (name: string) => programs.includes(name) })

test('a package is installed with the manager of the system, and not at all where it has none', () => {
  const clangd = { apt: 'clangd', dnf: 'clang-tools-extra', pacman: 'clang', brew: 'llvm', winget: 'LLVM.LLVM' }
  expect(installCommandOf(clangd, on('linux', 'apt-get'))).toBe('sudo apt-get install clangd')
  expect(installCommandOf(clangd, on('linux', 'dnf'))).toBe('sudo dnf install clang-tools-extra')
  expect(installCommandOf(clangd, on('linux', 'pacman'))).toBe('sudo pacman -S clang')
  expect(installCommandOf(clangd, on('linux'))).toBeUndefined()
  expect(installCommandOf(clangd, on('darwin', 'apt-get'))).toBe('brew install llvm')
  expect(installCommandOf(clangd, on('win32'))).toBe('winget install LLVM.LLVM')
  expect(installCommandOf({ apt: 'gdb' }, on('win32'))).toBeUndefined()
})

test('a command is the same everywhere', () => {
  expect(installCommandOf('go install it', on('win32'))).toBe('go install it')
  expect(installCommandOf('', on('linux'))).toBeUndefined()
})
