import { expect, it } from 'vitest'
import { pathWords, possibleScripts } from './commandFiles.ts'

it.each([
  ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh', './.claude/hooks/check.sh'],
  ['${CLAUDE_PROJECT_DIR}/check.sh --strict', './check.sh'],
  ['python3 "$(git rev-parse --show-toplevel)/.codex/hooks/check.py"', './.codex/hooks/check.py'],
  ['cd sub && node ./tools/check.mjs', './tools/check.mjs'],
  ['env RULES=rules.txt bash check.sh', 'rules.txt'],
  ["bash 'my hooks/check.sh'", 'my hooks/check.sh'],
  ['npm run check', 'package.json'],
  ['node scripts/guard', 'scripts/guard.js'],
  ['cd .claude/hooks && ./check.sh', '.claude/hooks/./check.sh'],
  ['cd a && cd b && bash check.sh', 'a/b/check.sh'],
  ['"${CLAUDE_PROJECT_DIR:-.}"/x.sh', './x.sh'],
  ['"${CLAUDE_PROJECT_DIR}"/x.sh', './x.sh'],
  ['$CLAUDE_PROJECT_DIR-x/y.sh', '.-x/y.sh'],
  ['hooks/check*.sh', 'hooks/check*.sh'],
  ['./{a,b}.sh', './b.sh'],
  ['bash {x,y}/{a,b}.sh', 'y/a.sh'],
  ['python -m hooks.check', 'hooks/check.py'],
  ['python -m hooks.check', 'hooks/__init__.py'],
  ['python3 -m hooks', 'hooks/__main__.py'],
  ['python3 scripts/', 'scripts/__main__.py'],
  ['./gradlew check', 'build.gradle.kts'],
  ['rake check', 'Rakefile'],
  ['task check', 'Taskfile.yml'],
  ['tox -e lint', 'tox.ini'],
  ['composer check', 'composer.json'],
  ['mise run check', 'mise.toml'],
  ['cd sub && npm run check', 'sub/package.json'],
])('finds the files that %s names', (line, script) => {
  expect(possibleScripts(line)).toContain(script)
})

it.each([
  ['node -r ./setup.cjs scripts/guard', 'scripts/guard.js'],
  ['python3 -u scripts', 'scripts/__main__.py'],
  ['env RULES=1 bun run tools', 'tools/index.ts'],
  ['timeout 5 npx tsx tools', 'tools/index.ts'],
  ['if true; then go run ./tools; fi', './tools/main.go'],
  ['for each in hooks/check*.sh; do bash $each; done', 'hooks/check*.sh'],
  ['bash hooks/{a,b}*.sh', 'hooks/b*.sh'],
  ['set -e\n. hooks/*.sh', 'hooks/*.sh'],
  ["bash -c 'cd tools && node serve'", 'tools/serve.js'],
])('completes and selects what %s starts', (line, script) => {
  expect(possibleScripts(line)).toContain(script)
})

it.each([
  ['python3 scripts/check.py src', 'src/index.ts'],
  ['python3 -u scripts/check.py src', 'src/main.py'],
  ['eslint src', 'src/package.json'],
  ['cat x*', 'x*'],
  ['prettier --check src/*.ts', 'src/*.ts'],
  ['node scripts/check.mjs .', './index.js'],
])('%s does not start %s', (line, file) => {
  expect(possibleScripts(line)).not.toContain(file)
})

it('finds the words that look like a file', () => {
  expect(pathWords('"$HOOKS/check.sh" --strict && node scripts/guard')).toEqual(['$HOOKS/check.sh', 'scripts/guard'])
  expect(pathWords('python3 check.py')).toEqual(['check.py'])
  expect(pathWords('echo done >&2; exit 2')).toEqual([])
})

it('hostile commands have few names, soon', { timeout: 5000 }, () => {
  const many = Array.from({ length: 3000 }, (_, index) => `a${index}/b.sh`)
  for (const command of [
    Array.from({ length: 4 }, () => `{${many.join(',')}}`).join(''),
    many.join(' '),
    `{${many.join(',')}} `.repeat(10),
    'bash - '.repeat(20_000),
    many.map((word) => `cd ${word}`).join(' && '),
  ]) {
    expect(possibleScripts(command).length).toBeLessThanOrEqual(2000)
    expect(pathWords(command).length).toBeLessThanOrEqual(2000)
  }
})
