import { describe, expect, it } from 'vitest'
import type { ApprovalRule } from '../../shared/tools/approvalRules.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { Verdict } from '../../shared/tools/explanation.ts'
import { askedForms, refusedForms, spellings } from './testing/launcherForms.ts'
import { ordinaryCommands } from './testing/ordinaryCommands.ts'
import { testExaminer } from './testing/testExaminer.ts'

const deny = (pattern: string, match: ApprovalRule['match'] = 'prefix'): ApprovalRule => ({
  decision: 'deny',
  match,
  pattern,
  folder: null,
})

async function verdict(line: string, rules: readonly ApprovalRule[], mode: Mode = 'yolo'): Promise<Verdict> {
  const { explanation } = await testExaminer({ rules: () => rules })({ line, cwd: '.', mode, sandbox: undefined })
  return explanation.verdict
}

/** Denied commands and lines that they match. */
const denied: readonly (readonly [pattern: string, command: string])[] = [
  ['rm', 'rm x'],
  ['rm -rf', 'rm -rf x'],
  ['git push', 'git push origin main'],
  ['npm publish', 'npm publish'],
  ['docker compose down', 'docker compose down -v'],
  ['curl', 'curl -s http://example.com'],
]

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
const fill = (form: string, command: string): string =>
  form
    .replaceAll('{qbang}', quote(`!${command}`))
    .replaceAll('{q}', quote(command))
    .replaceAll('{}', command)

describe('a deny rule for a command', () => {
  it.each(denied)('%s refuses or asks in yolo mode, whatever runs the command', async (pattern, command) => {
    const unasked: string[] = []
    const notRefused: string[] = []
    for (const form of [...refusedForms, ...askedForms]) {
      const line = fill(form, command)
      const found = await verdict(line, [deny(pattern)])
      if (found === 'allow') unasked.push(line)
      if (found !== 'refuse' && refusedForms.includes(form)) notRefused.push(line)
    }
    expect({ unasked, notRefused }).toEqual({ unasked: [], notRefused: [] })
  })

  it.each(spellings)('finds the program %s', async (_name, spell, refused) => {
    const wrong: string[] = []
    for (const [pattern, command] of denied) {
      const line = command.replace(/^\w+/, spell)
      const found = await verdict(line, [deny(pattern)])
      if (found !== (refused ? 'refuse' : 'ask')) wrong.push(`${line}: ${found}`)
    }
    expect(wrong).toEqual([])
  })

  it.each([
    ['rm -rf', 'rm --recursive --force x', 'ask'],
    ['rm -rf', 'rm -Rf x', 'ask'],
    ['rm --recursive', 'rm -r x', 'ask'],
    ['git push --force', 'git push -f', 'ask'],
    ['git push', 'git subtree push -P lib origin main', 'refuse'],
    ['git push', 'git lfs push origin main', 'refuse'],
    ['cargo publish', 'cargo +nightly publish', 'refuse'],
    ['make deploy', 'make A=b deploy', 'refuse'],
    ['make deploy', 'make -j4 CC=gcc deploy', 'refuse'],
    ['pip install', 'pip3.11 install x', 'refuse'],
    ['python', 'python3 x.py', 'refuse'],
    ['dd', 'fish -C dd -c true', 'refuse'],
    ['dd', 'fish --init-command=dd', 'refuse'],
    ['dd', 'nu -e dd', 'refuse'],
    ['dd', 'nu --commands dd', 'refuse'],
    ['dd', 'git -c uploadpack.packObjectsHook=dd fetch', 'refuse'],
    ['dd', 'bash --rcfile dd -c true', 'allow'],
    ['rm -rf', 'rm -v x', 'allow'],
    ['python3', 'python2 x.py', 'allow'],
  ])('%s: %s', async (pattern, line, expected) => {
    expect(await verdict(line, [deny(pattern)])).toBe(expected)
  })

  it.each([
    'git -C . push',
    'git -C sub -C .. push',
    'git --no-pager push',
    'git -p --bare push origin',
    'git -c x=y push',
    'git -c x=y --git-dir .git --work-tree=. push',
    'git --namespace a push',
    'git -c alias.p=push p',
    'git -c alias.p="push origin" p main',
    'git -c alias.p="!git push" p',
    "git -c 'alias.p=!f() { git push; }; f' p",
    'git --exec-path=/x push',
    '/usr/lib/git-core/git-push origin',
    'git for-each-repo --config=a.b push',
    'git.exe push',
  ])('git push refuses %s', async (line) => {
    expect(await verdict(line, [deny('git push')])).toBe('refuse')
  })

  it.each([
    'git p',
    'git $x',
    'git "$x" origin',
    'git -c "$x" p',
    'git --unknown-option push',
    'git {push,}',
    'git pu*',
    'git --config-env=alias.p=X p',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p',
    '"$(git --exec-path)/git-push"',
  ])('git push asks in yolo mode for %s', async (line) => {
    expect(await verdict(line, [deny('git push')])).toBe('ask')
  })

  it.each<[string, string]>([
    ['rm -rf', 'rm -fr x'],
    ['rm -rf', 'rm -r -f x'],
    ['rm -rf', 'rm x -rf'],
    ['rm -r', 'rm -fvr x'],
    ['git push --force', 'git push origin main --force'],
    ['git push --force', 'git push --force=x origin'],
    ['git push --force', 'git push --forc'],
    ['npm publish', 'npm --silent publish'],
    ['kubectl delete', 'kubectl --namespace=x delete pod a'],
    ['docker compose down', 'docker compose --profile=x down'],
    ['./deploy.sh', 'bin/../deploy.sh'],
    ['/usr/bin/curl', 'curl x'],
  ])('%s refuses %s', async (pattern, line) => {
    expect(await verdict(line, [deny(pattern)])).toBe('refuse')
  })

  it.each<[string, string]>([
    ['npm publish', 'npm --prefix x publish'],
    ['kubectl delete', 'kubectl -n x delete pod a'],
    ['docker push', 'docker --context x push a'],
    ['npm publish', 'npm $x'],
    ['rm -rf', 'rm $x'],
    ['rm -rf', 'rm "$x" y'],
  ])('%s asks for %s, because an option or a variable may hide it', async (pattern, line) => {
    expect(await verdict(line, [deny(pattern)])).toBe('ask')
  })

  it.each<[string, string]>([
    ['rm', 'git rm x'],
    ['rm', 'git commit -m "rm x"'],
    ['rm', 'grep -rn rm src'],
    ['rm', 'echo rm x'],
    ['rm', 'npm rm left-pad'],
    ['rm', 'docker rm c'],
    ['rm', 'command -v rm'],
    ['rm', 'timeout 60 npm test'],
    ['rm', 'mkdir rm'],
    ['rm', "cat <<'E'\nrm x\nE"],
    ['rm', "cat > notes.md <<'E'\nUse rm x.\nE"],
    ['rm', "git commit -F - <<'E'\nrm x\nE"],
    ['rm', `git commit -m "$(cat <<'EOF'\nUse rm less.\nEOF\n)"`],
    ['rm', 'source .venv/bin/activate && pytest -q'],
    ['rm', 'if [ "$a" = b ]; then npm test; fi'],
    ['rm', 'git diff --stat "$base" | head -5'],
    ['rm', 'for f in *.ts; do wc -l "$f"; done'],
    ['rm', 'cd src && npm run build 2>&1 | tail -20'],
    ['rm', 'echo $HOME "$PATH" $(date)'],
    ['rm', 'mkdir -p src/{a,b}'],
    ['rm', 'find . -name "*.ts" -newer a.txt'],
    ['rm', 'find "$dir" -type f -exec grep -l x {} +'],
    ['rm', 'ls | xargs grep x'],
    ['rm', 'bash build.sh'],
    ['rm', 'python3 check.py "$file"'],
    ['rm', 'A=1 npm test'],
    ['rm', 'npm run build && \\\n  npm test'],
    ['rm', '(( x = 1 )); [ -f a ] && echo $x'],
    ['git push', 'git pull && git log --oneline'],
    ['git push', 'git stash push'],
    ['git push', 'git -C sub status'],
    ['git push', 'git log --grep push'],
    ['git push --force', 'git push origin main'],
    ['rm -rf', 'rm x'],
    ['npm publish', 'npm run publish'],
    ['npm publish', 'npm test'],
  ])('%s leaves %s alone', async (pattern, line) => {
    expect(await verdict(line, [deny(pattern)])).toBe('allow')
  })

  it('leaves ordinary commands as they are', async () => {
    const rules = ['git push', 'npm publish', 'sudo', 'shutdown', 'docker push', 'kubectl delete'].map((each) =>
      deny(each),
    )
    const changed: string[] = []
    for (const line of Object.values(ordinaryCommands).flat())
      if ((await verdict(line, rules)) !== 'allow') changed.push(line)
    expect(changed).toEqual([])
  })

  it('does not resolve scripts, and interpreters only as far as their text names it', async () => {
    for (const line of ['./clean.sh', 'make clean', 'npm run clean', 'python3 clean.py', `node -e 'run("r" + "m")'`])
      expect(await verdict(line, [deny('rm')]), line).toBe('allow')
  })

  it.each(['exact', 'form'] as const)('with the match "%s" finds the command behind launchers', async (match) => {
    const rule = deny(match === 'form' ? 'git push <word>' : 'git push origin', match)
    for (const line of ['git push origin', 'sudo git push origin', 'git -C . push origin', 'sh -c "git push origin"'])
      expect(await verdict(line, [rule]), line).toBe('refuse')
    expect(await verdict('git push $x', [rule])).toBe('ask')
    expect(await verdict('git push origin main', [rule])).toBe('allow')
  })
})

it('without a deny or ask rule yolo mode runs lines that cannot be read', async () => {
  for (const line of ['$x', 'echo x | sh', '{rm,x}', 'eval "$x"']) {
    expect(await verdict(line, [])).toBe('allow')
    expect(await verdict(line, [{ ...deny('npm publish'), decision: 'ask' }])).toBe('ask')
  }
})
