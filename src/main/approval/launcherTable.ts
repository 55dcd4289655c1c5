/** A program that runs the command in its arguments. */
export interface Launcher {
  /** Names, separated by blanks. */
  names: string
  /** Options without a value. One with `?` can have a value in the same word (`-n5`). */
  flags?: string
  /** Options with a value: the rest of the word, or the next one. */
  values?: string
  /** Options whose value is a command line. */
  lines?: string
  /** Options whose value is split into the first words of the command. */
  split?: string
  /** Number of arguments before the command. */
  operands?: number
  /** Whether `NAME=value` may precede the command. */
  assignments?: true
  /** Whether a shell reads the remaining words as one line. */
  joined?: true
  /** Whether it starts a shell if no command follows. */
  shell?: true
  /** Whether it adds arguments to the command. */
  appends?: true
}

/**
 * Launchers with known options. An unlisted option makes the command uncertain, so that its line requires approval if a
 * rule denies commands.
 */
export const launchers: readonly Launcher[] = [
  {
    names: 'env',
    flags:
      '-i -0 -v - --ignore-environment --null --debug --default-signal --ignore-signal --block-signal --list-signal-handling',
    values: '-u -C -a -P --unset --chdir --argv0',
    split: '-S --split-string',
    assignments: true,
  },
  {
    names: 'sudo run0',
    flags:
      '-A -b -B -E -e -H -K -k -l -n -N -P -S -s -i -V -v --askpass --background --bell --preserve-env --edit --set-home ' +
      '--login --non-interactive --no-update --preserve-groups --reset-timestamp --remove-timestamp --stdin --shell --list ' +
      '--validate --version',
    values:
      '-C -D -g -h -p -R -r -t -T -u -U --close-from --chdir --group --host --prompt --chroot --role --type ' +
      '--command-timeout --user --other-user --unit --property --setenv --slice --nice',
    assignments: true,
    shell: true,
  },
  { names: 'doas', flags: '-L -n -s', values: '-u -C -a', assignments: true, shell: true },
  { names: 'pkexec', flags: '--disable-internal-agent --keep-cwd', values: '--user', shell: true },
  { names: 'gosu su-exec setuidgid', operands: 1 },
  { names: 'command', flags: '-p' },
  { names: 'builtin nohup catchsegv eatmydata setpgrp linux32 linux64 i386 x86_64 chronic' },
  { names: 'exec', flags: '-c -l', values: '-a' },
  // Shell syntax that the grammar parses as program names.
  { names: '! { ( then do else elif if while until' },
  {
    names: 'time',
    flags: '-p -v -a -q -V --portability --verbose --append --quiet --',
    values: '-f -o --format --output',
  },
  {
    names: 'timeout gtimeout',
    flags: '-v -f -p --verbose --foreground --preserve-status',
    values: '-k -s --kill-after --signal',
    operands: 1,
  },
  { names: 'nice gnice', flags: '-#', values: '-n --adjustment' },
  {
    names: 'ionice',
    flags: '-t --ignore',
    values: '-c -n -p -P -u --class --classdata --pid --pgid --uid',
  },
  {
    names: 'taskset',
    flags: '-a -p -c --all-tasks --pid --cpu-list',
    operands: 1,
  },
  {
    names: 'prlimit',
    flags:
      '-c? -d? -e? -f? -i? -l? -m? -n? -q? -r? -s? -t? -u? -v? -x? -y? --noheadings --raw --verbose --core --data --nice ' +
      '--fsize --sigpending --memlock --rss --nofile --msgqueue --rtprio --stack --cpu --nproc --as --locks --rttime',
    values: '-p -o --pid --output',
  },
  {
    names: 'setpriv',
    flags: '-d --dump --nnp --no-new-privs --clear-groups --keep-groups --init-groups --reset-env --list-caps',
    values:
      '--reuid --regid --ruid --euid --rgid --egid --groups --inh-caps --ambient-caps --bounding-set --securebits ' +
      '--pdeathsig --ptracer --selinux-label --apparmor-profile --landlock-access --landlock-rule --seccomp-filter',
  },
  { names: 'setsid', flags: '-c -f -w --ctty --fork --wait' },
  { names: 'stdbuf', values: '-i -o -e --input --output --error' },
  {
    names: 'chroot',
    flags: '--skip-chdir',
    values: '-u -g -G --userspec --groups',
    operands: 1,
    shell: true,
  },
  {
    names: 'unshare',
    flags:
      '-m -u -i -n -p -U -C -T -f -r -c --mount --uts --ipc --net --pid --user --cgroup --time --fork --map-root-user ' +
      '--map-current-user --map-auto --mount-proc --mount-binfmt --keep-caps --kill-child',
    values:
      '-R -w -S -G --root --wd --setuid --setgid --propagation --setgroups --map-user --map-group --map-users --map-groups ' +
      '--monotonic --boottime --load-interp',
    shell: true,
  },
  {
    names: 'nsenter',
    flags:
      '-a -m? -u? -i? -n? -p? -C? -U? -T? -r? -w? -F -Z -e -c --all --mount --uts --ipc --net --pid --cgroup --user --time ' +
      '--root --wd --no-fork --follow-context --env --join-cgroup --preserve-credentials --user-parent --keep-caps',
    values: '-t -S -G -W --target --setuid --setgid --wdns --net-socket',
    shell: true,
  },
  { names: 'fakeroot', flags: '-u --unknown-is-real', values: '-l -f -s -i -b --lib --faked', shell: true },
  {
    names: 'flock',
    flags: '-s -x -e -n -u -o -F --shared --exclusive --nonblock --nb --unlock --close --no-fork --verbose',
    values: '-w -E --timeout --wait --conflict-exit-code',
    lines: '-c --command',
    operands: 1,
  },
  {
    names: 'systemd-run',
    flags:
      '-t -P -q -G -r -d --user --system --scope --wait --pty --pipe --quiet --collect --same-dir --no-block --no-ask-password ' +
      '--remain-after-exit --send-sighup --slice-inherit --ignore-failure --expand-environment',
    values:
      '-u -p -E -H -M -C --unit --property --setenv --uid --gid --slice --description --nice --working-directory --machine ' +
      '--host --service-type --on-active --on-boot --on-startup --on-calendar --on-unit-active --on-unit-inactive ' +
      '--timer-property --path-property --socket-property --background --job-mode',
  },
  { names: 'systemd-inhibit', values: '--what --who --why --mode' },
  { names: 'systemd-cat', values: '-t -p --identifier --priority --stderr-priority --level-prefix' },
  { names: 'busybox toybox coreutils sbase-box' },
  {
    names: 'xargs gxargs',
    flags:
      '-0 -o -p -r -t -x -e? -i? -l? --null --interactive --no-run-if-empty --verbose --exit --open-tty --show-limits --eof ' +
      '--replace --max-lines',
    values:
      '-a -d -E -I -J -L -n -P -R -S -s --arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var',
    appends: true,
  },
  {
    names: 'parallel',
    flags:
      '-0 -k -m -q -t -u -v -X --bar --dry-run --dryrun --eta --group --keep-order --line-buffer --lb --no-run-if-empty -r --null ' +
      '--pipe --progress --quote --ungroup --verbose --will-cite --xargs --tty --citation --semaphore --fg --bg --wait',
    values:
      '-a -C -d -I -j -L -N -n -P -s -S --arg-file --colsep --delay --delimiter --halt --jobs --joblog --load --max-args ' +
      '--max-chars --max-lines --max-procs --memfree --nice --results --retries --sshlogin --tagstring --timeout --tmpdir ' +
      '--workdir --wd',
    joined: true,
    appends: true,
  },
  {
    names: 'watch',
    flags:
      '-d -b -c -e -f -g -p -r -t -x -w -C --differences --beep --color --no-color --errexit --follow --chgexit --precise ' +
      '--no-rerun --no-title --exec --no-wrap',
    values: '-n -q -s --interval --equexit --shotsdir',
    joined: true,
  },
  {
    names: 'script',
    flags: '-a -e -f -q -t? -k -r --append --return --flush --force --quiet --timing',
    values: '-E -I -O -B -T -m -o --echo --log-in --log-out --log-io --log-timing --logging-format --output-limit',
    lines: '-c --command',
    operands: 1,
    shell: true,
  },
  {
    names: 'ssh autossh slogin rsh',
    flags: '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y',
    values: '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -P -Q -R -S -W -w',
    operands: 1,
    joined: true,
    shell: true,
  },
  { names: 'sshpass', flags: '-e -v', values: '-p -f -d -P' },
  {
    names: 'strace ltrace',
    flags:
      '-f -ff -c -C -d -D -DD -DDD -h -i -k -n -N -q -qq -qqq -r -t -tt -ttt -T -v -V -w -x -xx -y -yy -Y -Z -z -S? ' +
      '--follow-forks --quiet',
    values: '-a -b -E -e -I -l -o -O -p -P -s -u -U -X -A --trace --output --string-limit',
  },
  {
    names: 'valgrind',
    flags: '-q -v --quiet --verbose --leak-check --tool --error-exitcode --trace-children --track-origins --log-file',
  },
  { names: 'choom', values: '-n -p --adjust --pid' },
  { names: 'uclampset', flags: '-a -s -R --all-tasks --system --reset-on-fork', values: '-m -M -p' },
  { names: 'numactl', flags: '-a -l --all --localalloc', values: '-i -N -C -m -p --interleave --membind' },
  { names: 'caffeinate', flags: '-d -i -m -s -u', values: '-t -w' },
  { names: 'unbuffer', flags: '-p' },
  { names: 'rlwrap', flags: '-a? -c -r', values: '-f -H -S' },
  { names: 'cpulimit', flags: '-i -z -b -q -v', values: '-l -p -e -P --limit --pid' },
  {
    names: 'ld.so',
    flags: '--verify --list --inhibit-cache --list-tunables --list-diagnostics',
    values: '--library-path --inhibit-rpath --preload --audit --argv0 --glibc-hwcaps-prepend --glibc-hwcaps-mask',
  },
]

/**
 * Launchers with varied syntax. Their first argument that is not an option counts as the command, and all arguments are
 * searched for names in rules.
 */
export const looseLaunchers: ReadonlySet<string> = new Set(
  (
    'npx bunx pnpx uvx pipx setarch runcon chrt cgexec capsh bwrap firejail proot fakechroot faketime torsocks torify ' +
    'tsocks proxychains proxychains4 dbus-run-session dbus-launch xvfb-run gdb lldb rr perf heaptrack hyperfine ' +
    'systemd-nspawn machinectl start-stop-daemon daemonize daemon softlimit chpst envdir envuidgid setlock s6-setuidgid ' +
    's6-softlimit tini dumb-init catatonit direnv mise asdf volta op aws-vault chamber dotenv conda mamba micromamba poetry ' +
    'pipenv uv rye hatch pdm bundle bundler nix nix-shell guix distrobox toolbox flatpak-spawn snap tmux screen dtach abduco ' +
    'zellij xterm gnome-terminal konsole kitty alacritty expect entr watchexec nodemon concurrently onchange inotifywait ' +
    'cmd cmd.exe powershell powershell.exe pwsh wsl wsl.exe run-parts qemu-x86_64 qemu-aarch64 wine rosetta arch lsof mosh ' +
    'kubectl oc nomad lxc incus vagrant socat nc ncat netcat crun runc sem pee ifne tsp parallel-ssh pssh pdsh ansible'
  ).split(' '),
)

/** Programs that never run other programs. Names in their arguments are data. */
export const plainPrograms: ReadonlySet<string> = new Set(
  (
    'echo cat ls grep egrep fgrep head tail wc cut tr uniq diff cmp comm stat file du df pwd basename dirname realpath readlink ' +
    'true false : date sleep mkdir rmdir touch cp mv rm ln chmod chown chgrp tee cd pushd popd dirs kill pkill exit return ' +
    'which type whereis shift break continue seq nl paste fold rev md5sum sha1sum sha256sum cksum truncate mktemp id ' +
    'whoami uname hostname ps free uptime }'
  ).split(' '),
)

/** Subcommands of a program that run no other program named in the line. */
export const plainSubcommands: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  [
    [
      'npm pnpm yarn',
      'install i ci add uninstall un remove rm unlink ls list view info outdated publish pack version audit',
    ],
    [
      'docker podman',
      'rm rmi ps images pull push tag logs stop start restart kill inspect volume network image info version',
    ],
    ['cargo', 'add rm remove search tree metadata check build fmt clippy doc publish yank'],
    ['pip pip3', 'install uninstall list show freeze check download'],
    ['apt apt-get dnf yum brew', 'install remove purge update upgrade search list info uninstall'],
    ['systemctl', 'start stop restart status enable disable mask reload'],
  ].flatMap(([programs = '', subcommands = '']) =>
    programs.split(' ').map((program) => [program, new Set(subcommands.split(' '))]),
  ),
)

export const shellNames: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh ksh93 mksh oksh ash fish rbash yash posh csh tcsh elvish nu xonsh'.split(' '),
)

/** Git's own commands. Any other name is an alias or a program `git-NAME`. */
export const gitCommands: ReadonlySet<string> = new Set(
  (
    'add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap ' +
    'check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config ' +
    'count-objects credential credential-cache credential-store describe diagnose diff diff-files diff-index diff-pairs diff-tree ' +
    'difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck ' +
    'fsck-objects gc get-tar-commit-id grep gui hash-object help hook http-backend http-fetch http-push imap-send index-pack init ' +
    'init-db instaweb interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base ' +
    'merge-file merge-index merge-one-file merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects ' +
    'pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog ' +
    'refs remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack ' +
    'shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag ' +
    'unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var verify-commit ' +
    'verify-pack verify-tag version whatchanged worktree write-tree svn p4 subtree'
  ).split(' '),
)
