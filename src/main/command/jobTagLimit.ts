import { createHash } from 'node:crypto'
import path from 'node:path'
import type { Invocation } from './shellProgram.ts'

/*
 * Job tag in a command's resource limits, for processes that left its session and cleared its environment. Linux has
 * ignored the limit on file locks (RLIMIT_LOCKS) since 2.4.25, but every process inherits it, and anyone may read it in
 * /proc/PID/limits. An unprivileged process can lower it, but has no reason to unless it tries to escape.
 */

const perInstance = 2 ** 24

/**
 * Whether a process with this limit on file locks belongs to a job tag.
 * @param jobTag tag of a job, or its prefix, which matches all jobs of a Tizona process
 */
export function isJobTagLimit(limit: number, jobTag: string): boolean {
  const [instance = '', job] = jobTag.split('.', 2)
  const first = firstLimit(instance)
  return job === undefined ? limit >= first && limit < first + perInstance : limit === limitOf(jobTag)
}

/** Returns the invocation with the limit of a job tag set. Unchanged without bash, which starts commands. */
export function withJobTagLimit({ file, args }: Invocation, jobTag: string): Invocation {
  if (process.platform !== 'linux' || path.basename(file) !== 'bash') return { file, args }
  const script = `ulimit -x ${limitOf(jobTag)} 2>/dev/null; exec "$@"`
  return { file, args: ['--noprofile', '--norc', '-c', script, 'bash', file, ...args] }
}

/** Parses the limit on file locks in /proc/PID/limits. */
export function parseLocksLimit(text: string): number | undefined {
  const limit = /^Max file locks\s+(\d+)\s/m.exec(text)?.[1]
  return limit === undefined ? undefined : Number(limit)
}

/** @param jobTag instance and job, separated by a full stop */
function limitOf(jobTag: string): number {
  const [instance = '', job = ''] = jobTag.split('.', 2)
  return firstLimit(instance) + (hashOf(job) % perInstance)
}

/** First limit of a Tizona process. Between 2^51 and 2^52, to differ from any real limit. */
function firstLimit(instance: string): number {
  return 2 ** 51 + (hashOf(instance) % 2 ** 27) * perInstance
}

function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0)
}
