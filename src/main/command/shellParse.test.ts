import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseShellLine } from './shellParse.ts'

const run = promisify(execFile)

describe('a plain line', () => {
  it.each<[string, string[][]]>([
    ['npm test', [['npm', 'test']]],
    ['ls 2>/dev/null', [['ls']]],
    ['npm test > /dev/null 2>&1 && pwd', [['npm', 'test'], ['pwd']]],
    ['cat &>/dev/null </dev/null', [['cat']]],
    ['npm test && git status; ls\npwd || true', [['npm', 'test'], ['git', 'status'], ['ls'], ['pwd'], ['true']]],
    [
      'npm test 2>&1 | tail -n 5',
      [
        ['npm', 'test'],
        ['tail', '-n', '5'],
      ],
    ],
    ['echo "a b" \'c d\' x"y"\'z\' e\\ f ""', [['echo', 'a b', 'c d', 'xyz', 'e f', '']]],
    ['echo "say \\"hi\\" \\$HOME \\n"', [['echo', 'say "hi" $HOME \\n']]],
    ['git log --format=%H HEAD~1', [['git', 'log', '--format=%H', 'HEAD~1']]],
    ['git commit -m "two\nlines"', [['git', 'commit', '-m', 'two\nlines']]],
    ['"npm" t\'es\'t', [['npm', 'test']]],
    ['echo \'*\' "[a]" \\*', [['echo', '*', '[a]', '*']]],
    ['printf x#y', [['printf', 'x#y']]],
  ])('%j is parsed into words', async (line, commands) => {
    expect(await parseShellLine(line)).toEqual({ plain: true, commands })
  })

  it.each([
    'a\\b "c\\d" \'e\\f\'',
    '"x"\'y\'z w',
    'a "" b',
    '"a\\\\b" c\\\\d',
    'it\\\'s "it\'s"',
    'k=v --k="v w"',
    '%s %d',
    'a@b:c,d+e^f',
  ])('the words of %j are the same as in bash', async (words) => {
    const { stdout } = await run('bash', ['--norc', '-c', `printf '%s\\0' ${words}`])
    expect(await parseShellLine(`x ${words}`)).toEqual({
      plain: true,
      commands: [['x', ...stdout.split('\0').slice(0, -1)]],
    })
  })
})

describe('a here-document', () => {
  it.each<[string, string[][], number[]]>([
    ["cat <<'E'\n$(id) `id` $x\nE", [['cat']], [0]],
    ['cat <<"END"\n$(id)\nEND\n', [['cat']], [0]],
    ['cat <<\\E\n$x\nE', [['cat']], [0]],
    ['cat <<E\nplain text\nE', [['cat']], [0]],
    ["cat <<'E'\n\n\n  x\nE", [['cat']], [0]],
    ["cat <<-'E'\n\tx\n\tE", [['cat']], [0]],
    ["cat <<'E' 2>&1\nx\nE", [['cat']], [0]],
    ["cat <<'E' | wc -l\nx\nE", [['cat'], ['wc', '-l']], [0, 1]],
    ["cat <<'E'\nx\nE\nid", [['cat'], ['id']], [0]],
    ["wc -c <<< 'a b'", [['wc', '-c']], [0]],
  ])('of literal text is not part of the commands: %j', async (line, commands, documents) => {
    expect(await parseShellLine(line)).toEqual({ plain: true, commands, documents })
  })

  const lines = ['E', 'E ', ' E', '\tE', 'EE', "'E'", "'", '"', '$(id)', ''] as const
  it.each(['<<', '<<-'])('ends with %s where bash ends it', async (operator) => {
    for (const one of lines)
      for (const other of lines) {
        const line = `cat ${operator}'E'\n${one}\n${other}\nE\n`
        const parsed = await parseShellLine(line)
        if (!parsed.plain) continue
        expect(parsed.commands[0]).toEqual(['cat'])
        const { stdout } = await run('bash', ['--norc', '-c', line]).catch(() => ({ stdout: undefined }))
        // A second command would be one that bash does not know.
        if (parsed.commands.length === 1)
          expect(stdout, line).toBe(`${one}\n${other}\n`.replaceAll(/^\t+/gm, operator === '<<-' ? '' : '$&'))
      }
  })
})

describe('a line with uncertain commands is not plain', () => {
  it.each<[string, RegExp]>([
    ['echo $(id)', /substitution/],
    ['echo `id`', /substitution/],
    ['echo "$(id)"', /substitution/],
    ['diff <(a) <(b)', /substitution/],
    ['echo $HOME', /variable/],
    ['echo "a ${x@P}"', /variable/],
    ['$cmd', /variable/],
    ['echo $((1+1))', /arithmetic/],
    ["echo $'\\x41'", /string/],
    ['cat a > b', /redirects/],
    ['cat < a', /redirects/],
    ['ls >& out', /redirects/],
    ['ls &> out', /redirects/],
    ['ls > /dev/nullx', /redirects/],
    ['ls > /dev/null/../x', /redirects/],
    ['ls 2>/dev/stderr', /redirects/],
    ['cat <<< $x', /variable/],
    ['cat <<< "$(id)"', /substitution|variable/],
    ['cat 0<<< x', /separated/],
    ['cat <<E\n$x\nE', /here-document/],
    ['cat <<E\n`id`\nE', /here-document/],
    ['cat <<E\na\\\nE\nid\nE', /here-document|backslash/],
    ["cat <<'E F'\nx\nE F", /here-document|parsed/],
    ["cat <<'E' -n\nx\nE", /here-document|contains/],
    ["cat <<'E' > a\nx\nE", /redirects/],
    ["cat <<'E'\nx\nE \nid\nE", /here-document|parsed/],
    ["cat <<'A' <<'B'\na\nA\nb\nB", /here-document|parsed/],
    ['PATH=/evil ls', /variable/],
    ['X=1', /variable/],
    ['export X=1', /declares/],
    ['f() { ls; }', /function/],
    ['(ls)', /subshell/],
    ['{ ls; }', /group/],
    ['sleep 5 &', /background/],
    ['ls & id', /background/],
    ['! true', /negates/],
    ['if true; then ls; fi', /condition/],
    ['for i in a; do ls; done', /loop/],
    ['[ -f x ]', /test/],
    ['ls *.ts', /pattern/],
    ['ls a?', /pattern/],
    ['ls [ab]', /pattern/],
    ['ls ~/x', /~/],
    ['make X=~/x', /~/],
    ['echo {a,b}', /brace/],
    ['echo {1..3}', /brace/],
    ['ls # note', /comment/],
    ['echo a\\\nb', /backslash/],
    ['echo \\\tb', /backslash/],
    ['echo /""\\/a', /separated/],
    ['echo \\  ; ls', /not recognized/],
    ['ls \u202e', /invisible/],
    ['ls\u00a0-l', /invisible/],
    ['ls\rid', /control/],
    ['ls \u001b[2K', /control/],
    ['ls \0', /control/],
    ['echo "unfinished', /parsed|contains/],
    ['ls && ', /parsed|contains/],
    ['ls ;; id', /contains/],
    ['case x in x) ls;; esac', /condition/],
    ['coproc ls', /coproc/],
    ['time ls', /time/],
    ['', /empty/],
    [' \n', /empty/],
    [`x ${'a'.repeat(10_000)}`, /longer/],
    [Array(51).fill('ls').join(';'), /more than 50/],
  ])('%j', async (line, reason) => {
    expect(await parseShellLine(line)).toEqual({ plain: false, reason: expect.stringMatching(reason) })
  })
})
