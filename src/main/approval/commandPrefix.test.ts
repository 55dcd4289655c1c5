import { describe, expect, it } from 'vitest'
import { proposePrefix, startsWith } from './commandPrefix.ts'

const words = (line: string) => line.split(' ')

describe('the prefix that is offered', () => {
  it.each([
    ['npm test', 'npm test'],
    ['npm test -- --watch=false', 'npm test'],
    ['npm run build -- --coverage', 'npm run build'],
    ['yarn build', 'yarn build'],
    ['git status --short', 'git status'],
    ['git stash list', 'git stash list'],
    ['cargo test --all', 'cargo test'],
    ['go test ./...', 'go test'],
    ['python3 -m pytest -q', 'python3 -m pytest'],
    ['node --test', 'node --test'],
    ['npx vitest run', 'npx vitest run'],
    ['uv run pytest -x', 'uv run pytest'],
    ['docker compose ps', 'docker compose ps'],
    ['make', 'make'],
    ['make -j4', 'make'],
    ['make test', 'make test'],
    ['./gradlew test', './gradlew test'],
    ['ls -la', 'ls'],
    ['pytest tests', 'pytest'],
    ['tsc --noEmit', 'tsc'],
  ])('of %j is %j', (line, prefix) => {
    expect(proposePrefix(words(line))?.join(' ')).toBe(prefix)
    expect(startsWith(words(line), words(prefix))).toBe(true)
  })

  it.each([
    'bash -c ls', 'sh script.sh', '/bin/bash x', 'BASH -c ls', 'python -c 1', 'python3', 'python3 check.py', 'python3 -m timeit x', 'node -e 1', 'node', 'node build.mjs',
    'node -r ./x y', 'perl -e 1', 'ruby -e 1', 'sudo ls', 'env ls', 'xargs rm', 'find . -name x', 'time ls', 'timeout 5 ls', 'nohup ls', 'eval ls', 'exec ls', '. ./x', 'awk 1',
    'sed -i s/a/b/ x', 'rm -rf x', 'dd if=a', 'chmod +x a', 'curl http://x', 'ssh host', 'cd sub', 'git -c core.pager=x log', 'git config x y', 'git', 'git clone a', 'git difftool',
    'git commit', 'git push', 'npm', 'npm --prefix x test', 'npm run', 'npm run --silent', 'npm run ../x', 'npm install x', 'npm exec sh', 'npx', 'npx -c ls', 'npx bash', 'npx ls', 'npx cowsay',
    'yarn add x', 'yarn run node x.js', 'bun run bash', 'uv run python -c 1', 'uv run bash', 'docker run x', 'docker compose exec a sh', 'kubectl exec p', 'deno eval 1', 'sqlite3 a.db', 'psql', 'mysql', 'gcc a.c', 'tar -xf a',
    './build.sh', '/tmp/npm test', './npm test', 'tee x', 'go run .', 'go generate', 'just evil/build', '-x', '', 'constructor', '__proto__',
  ])('there is none for %j', (line) => {
    expect(proposePrefix(words(line))).toBeUndefined()
  })
})

describe('a command under a prefix', () => {
  it('starts with the same words, not with the same letters', () => {
    expect(startsWith(words('npm test -- a'), ['npm', 'test'])).toBe(true)
    expect(startsWith(words('npm tests'), ['npm', 'test'])).toBe(false)
    expect(startsWith(words('npm'), ['npm', 'test'])).toBe(false)
    expect(startsWith(words('anything'), [])).toBe(false)
  })

  it.each([
    ['make test', ['-E', '$(shell id > /tmp/pwn)']], ['make test', ['--directory=/tmp/evil']], ['make test', ['-sC/tmp/evil']], ['make test', ['-sf', '/tmp/evil.mk']],
    ['make test', ['-j4C/tmp/evil']], ['make test', ['SHELL=x']], ['make test', ['deploy']], ['make test', ['--eval=x']], ['make', ['test']], ['make', ['SHELL=x']], ['gmake test', ['-f', 'x']],
    ['git clone', ['-u', '/tmp/evil', '.', 'z']], ['git clone', ['-c', 'core.fsmonitor=x']], ['git clone', ['--template=/tmp/evil']],
    ['git grep', ['-nO/tmp/evil', 'x']], ['git grep', ['-Oless', 'x']], ['git difftool', ['-x', 'id']], ['git diff', ['--ext-diff']], ['git diff', ['--output=.git/hooks/x']],
    ['git diff', ['--outp=x']], ['git log', ['--textconv']], ['git diff', ['--no-index', 'a', 'b']], ['git fetch', ['--upload-p', 'x']], ['git branch', ['-D', 'main']], ['git branch', ['new']],
    ['npm test', ['--prefix', '/tmp/evil']], ['npm test', ['--prefix=evil']], ['npm test', ['--script-shell=x']], ['npm test', ['--', '--config', 'x']], ['npm run build', ['-C', 'x']],
    ['yarn build', ['--cwd', 'x']], ['pnpm run build', ['-C', '/tmp/evil']], ['bun test', ['--preload', 'x']],
    ['go test', ['-C', 'x']], ['go test', ['-exec', 'x']], ['go test', ['-toolexec=x']], ['go build', ['-ldflags=-extld=x']], ['go vet', ['-vettool=x']], ['go build', ['-o', 'x']],
    ['cargo test', ['--manifest-path', 'x']], ['cargo test', ['--manifest-path=x']], ['cargo test', ['--config', 'x']], ['cargo clippy', ['--fix']],
    ['sqlite3', ['a.db', '.shell id']], ['psql', ['-c', '\\! id']], ['mysql', ['-e', '\\! id']], ['gcc', ['-wrapper', 'sh,-c,id', 'a.c']], ['ctest', ['-S', 'x']], ['ctest', ['-VS', 'x']],
    ['npx vitest run', ['-c', 'x']], ['vitest run', ['--config=x']], ['vitest run', ['--root', 'x']], ['eslint', ['-c', 'x']], ['eslint', ['--resolve-plugins-relative-to=x']], ['just test', ['-f', 'x']],
    ['just test', ['--justfile=x']], ['just test', ['other']], ['pytest', ['-p', 'evil']], ['pytest', ['-xp', 'evil']], ['pytest', ['@args']], ['pytest', ['/tmp/evil']], ['pytest', ['../evil']],
    ['pytest', ['a/../../evil']], ['pytest', ['--tb=../x']], ['node --test', ['/tmp/evil.mjs']], ['node --test', ['--import', './x']], ['node --test', ['--test-reporter=./x.mjs']], ['tsc', ['@args']],
    ['tsc', ['-p', '/tmp/evil']], ['tsc', ['--outDir', 'x']], ['rg', ['--pre', 'x', 'y']], ['rg', ['--pre=x', 'y']], ['rg', ['-z', 'y']], ['sort', ['-o', 'x', 'y']], ['sort', ['-no', 'x']],
    ['uniq', ['a', 'b']], ['ls', ['--unknown']], ['ls', ['-Z']], ['npx eslint', ['http://x/a.js']], ['pytest', ['C:/evil']], ['ls', ['-']], ['basename', ['-x']], ['git remote', ['--x=y']], ['cat', ['/etc/shadow']], ['cat', ['~/.ssh/id']], ['dotnet build', ['/p:X=y']], ['dotnet build', ['-p:X=y']], ['gradle test', ['publish']], ['gradle test', ['-Ix']], ['mvn test', ['-fx']],
  ])('%j does not cover what follows in %j', (prefix, rest) => {
    expect(startsWith([...words(prefix), ...rest], words(prefix))).toBe(false)
  })

  it.each([
    ['git log', 'git log -p --stat -5 --author=Ana main..HEAD -- src/a.ts'], ['git diff', 'git diff --cached -U5 -- src/a.ts'], ['git diff', 'git diff HEAD~1'], ['git show', 'git show HEAD:src/a.ts'],
    ['git status', 'git status -sb'], ['git grep', 'git grep -nE foo -- src'], ['npm test', 'npm test -- src/a.test.ts --coverage'], ['npm run build', 'npm run build --silent'],
    ['npx vitest run', 'npx vitest run src/main/a.test.ts -t name --reporter=dot'], ['node --test', 'node --test test/a.test.js --test-name-pattern=x'], ['ls', 'ls -la src'], ['tail', 'tail -n 5'],
    ['tail', 'tail -20'], ['head', 'head -n5 a.txt'], ['grep', 'grep -rn --include=*.ts foo src'], ['rg', 'rg -n -C3 -g *.ts foo.*bar src'], ['cat', 'cat a.txt b.txt'], ['echo', 'echo -n /a .. $x'],
    ['make test', 'make test -j4 -k'], ['make', 'make -sj8'], ['go test', 'go test ./... -run TestX -count=1 -v'], ['go build', 'go build ./cmd/server'], ['cargo test', 'cargo test -p core name -- --nocapture --test-threads=1'],
    ['cargo clippy', 'cargo clippy --all-targets -- -D warnings'], ['pytest', 'pytest -xvs tests/test_a.py::test_b -k name --tb=short'], ['python3 -m pytest', 'python3 -m pytest -q'], ['tsc', 'tsc --noEmit -p tsconfig.web.json'],
    ['eslint', 'eslint src --max-warnings=0'], ['ctest', 'ctest -j4 --output-on-failure -R name'], ['./gradlew test', './gradlew test --info'], ['docker ps', 'docker ps -a'], ['sort', 'sort -rn'], ['uniq', 'uniq -c'],
  ])('%j covers %j', (prefix, line) => {
    expect(startsWith(words(line), words(prefix))).toBe(true)
  })
})
