import { lstat, readFile } from 'node:fs/promises'
import { isInside, isInsideAny } from './paths.ts'
import type { Mount } from './bubblewrapArguments.ts'

/*
 * bubblewrap resolves mounts by path. Between our checks and the mount, a process of another command can replace a
 * workspace folder by a link; the mount would then expose or cover another folder. So the sandbox compares its own
 * mounts with the expected ones before it starts the command.
 */

/**
 * A mount point, and the folder or file that it shows: relative to the workspace, or after `=` its path in its file
 * system; '' for any.
 */
export interface ExpectedMount {
  point: string
  shows: string
}

/** @param folders real paths of the workspace's folders */
export async function expectedMounts(mounts: readonly Mount[], folders: readonly string[]): Promise<ExpectedMount[]> {
  const [workspace = ''] = folders
  const device = async (file: string) => (await lstat(file).catch(() => undefined))?.dev
  const inside = mounts.filter(
    ({ kind, path }) => kind !== 'link' && !folders.includes(path) && isInsideAny(path, folders),
  )
  // If two mounts share a mount point, the later one is visible.
  const last = new Map(inside.map((mount) => [mount.path, mount]))
  const outside = mounts.filter((mount) => 'isChecked' in mount && !isInsideAny(mount.path, folders))
  const places = outside.length === 0 && folders.length === 1 ? [] : await mountedPlaces()
  const others = outside.map(({ path }) => ({ point: path, shows: shownAt(path, places) }))
  const within = await Promise.all(
    [...last.values()].map(async (mount) => {
      const same = (mount.kind === 'readOnly' || mount.kind === 'writable') && mount.source === undefined
      // A mount from another file system has a different root, so any is accepted.
      const containing = folders.find((folder) => isInside(mount.path, folder)) ?? workspace
      const known = same && (await device(mount.path)) === (await device(containing))
      // Another folder of a multi-root workspace is a mount of its own.
      if (known && !isInside(mount.path, workspace)) return { point: mount.path, shows: shownAt(mount.path, places) }
      return { point: mount.path, shows: known ? mount.path.slice(workspace.length) : '' }
    }),
  )
  return [...within, ...others]
}

/** A mount of this machine: its mount point, and the path in its file system that it shows. Escaped as in mountinfo. */
interface MountedPlace {
  point: string
  root: string
}

async function mountedPlaces(): Promise<MountedPlace[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')
  return lines.flatMap((line) => {
    const [, , , root, point] = line.split(' ')
    return root === undefined || point === undefined ? [] : [{ root, point }]
  })
}

/** Returns what a mount of a path shows, from the mount that contains the path. Later mounts cover earlier ones. */
function shownAt(file: string, places: readonly MountedPlace[]): string {
  const name = escaped(file)
  const contains = ({ point }: MountedPlace): boolean => point === '/' || name === point || name.startsWith(`${point}/`)
  const longest = places.filter(contains).reduce((most, { point }) => Math.max(most, point.length), 0)
  const place = places.findLast((each) => contains(each) && each.point.length === longest)
  if (place === undefined) return ''
  const rest = place.point === '/' ? name : name.slice(place.point.length)
  return `=${place.root === '/' ? '' : place.root}${rest}`
}

/**
 * Returns a bash script that exits unless the mounts are as expected, and the parameters that it shifts away. See
 * proc_pid_mountinfo(5): the fourth field is the root, the fifth the mount point.
 */
export function mountCheck(
  expected: readonly ExpectedMount[],
  workspace: string,
): { script: string; parameters: string[] } {
  const script = [
    'declare -A _root; while read -r -a _line; do _root["${_line[4]}"]=${_line[3]}; done < /proc/self/mountinfo',
    '_base=${_root["$1"]%/}; _count=$2; shift 2',
    'while [ "$_count" -gt 0 ]; do ' +
      'case $2 in =*) _shows=${2#=};; *) _shows=$_base$2;; esac; ' +
      `if [ -z "\${_root["$1"]}" ] || { [ -n "$2" ] && [ "\${_root["$1"]}" != "$_shows" ]; }; then echo "${changed}"; exit 126; fi; ` +
      'shift 2; _count=$((_count - 1)); done',
    'unset _root _line _base _count _shows',
  ].join('; ')
  return {
    script,
    parameters: [
      escaped(workspace),
      String(expected.length),
      ...expected.flatMap(({ point, shows }) => [
        escaped(point),
        // What is after `=` is escaped already.
        shows.startsWith('=') ? shows : escaped(shows),
      ]),
    ],
  }
}

const changed =
  'The sandbox was not started: a folder of the workspace was replaced while it was prepared. Run the command again.'

/** Escapes a path as mountinfo does. */
function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
}
