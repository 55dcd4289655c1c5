import { expect, it } from 'vitest'
import { isLibraryFile } from './libraryFolders.ts'

const environment = { home: '/home/me', variables: { GOPATH: '/work/go', CARGO_HOME: 'relative' } }
const isShown = (file: string, serves: string[], program: string | null = null) =>
  isLibraryFile(file, { serves }, program, environment)

it.each([
  ['/usr/include/stdio.h', ['c', 'cpp']],
  ['/usr/include/c++/12/vector', ['c', 'cpp']],
  ['/usr/lib/llvm-14/lib/clang/14.0.6/include/stddef.h', ['c', 'cpp']],
  ['/usr/lib/go-1.19/src/fmt/print.go', ['go']],
  ['/work/go/pkg/mod/golang.org/x/text@v0.3.0/doc.go', ['go']],
  ['/home/me/.cargo/registry/src/index.crates.io/serde-1.0.0/src/lib.rs', ['rust']],
  ['/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/lib.rs', ['rust']],
  ['/usr/lib/python3.11/json/decoder.py', ['python']],
  ['/home/me/project/.venv/lib/python3.11/site-packages/requests/api.py', ['python']],
  ['/home/me/monorepo/node_modules/@types/node/fs.d.ts', ['typescript']],
])('%s is a library file', (file, serves) => {
  expect(isShown(file, serves)).toBe(true)
})

it.each([
  ['/etc/shadow', ['c', 'cpp']],
  ['/home/me/.ssh/id_rsa', ['c', 'cpp']],
  ['/home/me/other/main.py', ['python']],
  ['/home/me/.cargo/credentials.toml', ['rust']],
  ['/home/me/.cargo/registry/src/key.pem', ['rust']],
  ['/usr/libexec/go-thing.go', ['go']],
  // A language that the server does not serve, and folders of which only the start of the name matches.
  ['/usr/include/stdio.h', ['python']],
  ['/usr/include-secret/x.h', ['c', 'cpp']],
  ['/usr/lib/gopher.go', ['go']],
  ['/home/me/my-site-packages/x.py', ['python']],
  ['/work/x/site-packages.py', ['python']],
])('%s is not', (file, serves) => {
  expect(isShown(file, serves)).toBe(false)
})

it('the files of the package of a server are library files, such as its types of a standard library', () => {
  const program = '/home/me/.config/tizona/language-servers/b/node_modules/basedpyright/langserver.index.js'
  const types = '/home/me/.config/tizona/language-servers/b/node_modules/basedpyright/dist/typeshed/builtins.pyi'
  expect(isShown(types, ['python'], program)).toBe(true)
  expect(isShown(types, ['python'])).toBe(false)
  expect(isShown('/home/me/.config/tizona/secrets.py', ['python'], program)).toBe(false)
})
