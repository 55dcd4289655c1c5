import { describe, expect, it } from 'vitest'
import { destructiveReasons } from './destructive.ts'

describe('a destructive command', () => {
  it.each([
    ['rm -rf build', '`rm` deletes files permanently.'],
    ['rm a.txt', '`rm` deletes files permanently.'],
    ['npm test && /bin/rm -r build', '`rm` deletes files permanently.'],
    ['git reset --hard HEAD~1', '`git reset --hard` discards uncommitted changes.'],
    ['git -C sub -c a=b reset --har', '`git reset --har` discards uncommitted changes.'],
    ['dd if=/dev/zero of=/dev/sda bs=1M', '`dd of=/dev/sda` overwrites a file or device.'],
    ['git clean -fd', '`git clean -fd` deletes files permanently.'],
    ['git push --force origin main', '`git push --force` overwrites or deletes commits that others may have fetched.'],
    ['git push -f', '`git push -f` overwrites or deletes commits that others may have fetched.'],
    ['git push origin +main', '`git push +main` overwrites or deletes commits that others may have fetched.'],
    ['git push origin :old', '`git push :old` overwrites or deletes commits that others may have fetched.'],
    ['git checkout -- src', '`git checkout --` discards uncommitted changes.'],
    ['git checkout .', '`git checkout .` discards uncommitted changes.'],
    ['git restore src/a.ts', '`git restore` discards uncommitted changes.'],
    ['git branch -D topic', '`git branch -D` deletes a branch that may not be merged.'],
    ['mkfs.ext4 /dev/sdb1', '`mkfs.ext4` erases a disk.'],
    ['chmod -R 777 .', '`chmod -R` changes every file in a folder, and the old permissions are lost.'],
    ['chown --recursive me .', '`chown --recursive` changes every file in a folder, and the old permissions are lost.'],
    ['echo x > notes.txt', '`> notes.txt` replaces the file content.'],
    [': >| notes.txt', '`> notes.txt` replaces the file content.'],
    ['make &> "build log"', '`> build log` replaces the file content.'],
    ['find . -name "*.o" -delete', '`find -delete` deletes files permanently.'],
    ['find . -type f -exec rm {} +', '`rm` deletes files permanently.'],
    ['truncate -s 0 app.log', '`truncate` truncates files.'],
    ['shred -u key', '`shred` overwrites files so that they cannot be restored.'],
    ['ls | xargs -n 1 rm', '`rm` deletes files permanently.'],
    ['sudo -u me rm x', '`rm` deletes files permanently.'],
    ["bash -lc 'cd a && rm -rf b'", '`rm` deletes files permanently.'],
    ['sudo sh -c "rm x"', '`rm` deletes files permanently.'],
    ['eval "rm x"', '`rm` deletes files permanently.'],
    ['for f in *; do rm "$f"; done', '`rm` deletes files permanently.'],
    ['echo $(rm x)', '`rm` deletes files permanently.'],
    ['if true; then r"m" x; fi', '`rm` deletes files permanently.'],
    ['\\rm x', '`rm` deletes files permanently.'],
    ['rsync -a --delete a/ b/', '`rsync --delete` deletes files permanently.'],
    ['docker compose down -v', '`docker compose down -v` deletes the volumes and their data.'],
    ['kubectl delete pod x', '`kubectl delete` deletes resources from the cluster.'],
    ['psql -c "DROP TABLE users"', '`psql DROP TABLE users` deletes data from a database.'],
    ['Remove-Item -Recurse build', '`Remove-Item` deletes files permanently.'],
  ])('%j is reported with its reason', async (line, reason) => {
    expect(await destructiveReasons(line)).toContain(reason)
  })

  it.each([
    'npm test',
    'git status',
    'git reset HEAD a',
    'git clean -nfd',
    'git push origin main',
    'git restore --staged a',
    'git rm --cached a',
    'git checkout -b topic',
    'git log -- src',
    'grep -r rm .',
    'echo "rm -rf /"',
    "echo 'rm -rf /'",
    'ls > /dev/null 2>&1',
    'make >> build.log',
    'cat < a',
    'chmod 644 a',
    'find . -name "*.ts"',
    'tee -a log',
    'npm run clean',
    'dd if=a',
    'git commit -m "rm old files"',
    'cat <<E\nrm x\nE',
    'sort a | tee /dev/stderr',
  ])('%j is not reported', async (line) => {
    expect(await destructiveReasons(line)).toEqual([])
  })

  it('is reported once per reason, with a limited number of reasons', async () => {
    expect(await destructiveReasons('rm a; rm b')).toEqual(['`rm` deletes files permanently.'])
    expect(await destructiveReasons('rm a; shred b; truncate c; dd of=d; mkfs e; halt')).toHaveLength(4)
  })

  it('is reported as unchecked if the line is too long', async () => {
    expect(await destructiveReasons(`echo ${'x'.repeat(100_000)}`)).toEqual(['The command line is too long to check.'])
  })
})
