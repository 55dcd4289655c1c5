import { describe, expect, it } from 'vitest'
import { proposePrefix, startsWith } from './prefix.ts'

const words = (line: string) => line.split(' ')

describe('the prefix that is offered', () => {
  it.each([
    ['npm test', 'npm test'],
    ['npm test -- --watch=false', 'npm test'],
    ['npm run build -- --prod', 'npm run build'],
    ['git status --short', 'git status'],
    ['git stash list', 'git stash list'],
    ['cargo test --all', 'cargo test'],
    ['go test ./...', 'go test'],
    ['go run ./cmd/server', 'go run ./cmd/server'],
    ['python3 -m pytest -q', 'python3 -m pytest'],
    ['python3 scripts/check.py --all', 'python3 scripts/check.py'],
    ['node --test', 'node --test'],
    ['node build.mjs', 'node build.mjs'],
    ['npx vitest run', 'npx vitest'],
    ['uv run pytest -x', 'uv run pytest'],
    ['poetry run python -m mypy .', 'poetry run python -m mypy'],
    ['docker compose ps', 'docker compose ps'],
    ['make test', 'make test'],
    ['./gradlew test', './gradlew test'],
    ['ls -la', 'ls'],
    ['pytest tests', 'pytest'],
    ['tsc --noEmit', 'tsc'],
  ])('of %j is %j', (line, prefix) => {
    expect(proposePrefix(words(line))?.join(' ')).toBe(prefix)
  })

  it.each([
    'bash -c ls', 'sh script.sh', '/bin/bash x', 'BASH -c ls', 'python -c 1', 'python3', 'python3.12 -c 1', 'python3 -m timeit x', 'python3 -i x.py', 'node -e 1', 'node', 'node --eval 1', 'node -r ./x y',
    'perl -e 1', 'ruby -e 1', 'sudo ls', 'env ls', 'xargs rm', 'find . -name x', 'time ls', 'timeout 5 ls', 'nohup ls', 'eval ls', 'exec ls', '. ./x', 'awk 1', 'sed -i s/a/b/ x',
    'rm -rf x', 'dd if=a', 'chmod +x a', 'curl http://x', 'ssh host', 'cd sub', 'git -c core.pager=x log', 'git config x y', 'git', 'npm', 'npm --prefix x test', 'npm run', 'npm run --silent',
    'npx', 'npx -c ls', 'npx bash', 'uv run python -c 1', 'uv run bash', 'npm exec sh', 'docker run x', 'docker compose exec a sh', 'kubectl exec p', 'make SHELL=x', 'deno eval 1', '-x', '',
  ])('there is none for %j, which could run anything', (line) => {
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
    ['git diff', 'git diff --ext-diff'], ['git diff', 'git diff --output=.git/hooks/x'], ['git fetch', 'git fetch --upload-pack=x'], ['git fetch', 'git fetch --upload-p x'],
    ['git grep', 'git grep -Oless x'], ['rg', 'rg --pre x y'], ['make test', 'make test SHELL=x'], ['make test', 'make test -f x'], ['make test', 'make test --eval=x'],
    ['sort', 'sort -o x y'], ['sort', 'sort --compress-program=x y'], ['tar', 'tar --to-command=x -xf a'], ['go test', 'go test -exec x'], ['cargo test', 'cargo test --config x'],
  ])('%j does not cover %j, which starts another program or writes elsewhere', (prefix, line) => {
    expect(startsWith(words(line), words(prefix))).toBe(false)
  })

  it.each([['git log', 'git log -p --stat'], ['npm test', 'npm test -- --reporter dot'], ['ls', 'ls -la src'], ['git diff', 'git diff --cached -- src/a.ts'], ['tail', 'tail -n 5']])(
    '%j covers %j', (prefix, line) => {
      expect(startsWith(words(line), words(prefix))).toBe(true)
    },
  )
})
