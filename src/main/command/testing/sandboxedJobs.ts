import { homedir } from 'node:os'
import path from 'node:path'
import { createJobs, createTextFilter } from '../jobs.ts'
import type { Jobs } from '../jobTypes.ts'
import { createScanner } from '../sandbox/folderScan.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { probeSandbox } from '../sandbox/sandboxProbe.ts'

const probed = probeSandbox()

/** Whether this machine has a sandbox. */
export const hasSandbox = async (): Promise<boolean> => (await probed).program !== undefined

/**
 * Jobs with the real sandbox of this machine. Where it has none, programs that need it start without it, so that their
 * tests run nevertheless; not with `enabled: false`.
 */
export async function sandboxedJobs(
  workspaceRoot: string,
  { userData = path.join(workspaceRoot, '.data'), enabled = true }: { userData?: string; enabled?: boolean } = {},
): Promise<Jobs> {
  const found = await probed
  const jobs = createJobs({
    workspaceRoot,
    graceMs: 300,
    onChanged: () => undefined,
    onOutput: () => undefined,
    sandbox: createSandbox({
      probe: async () => found,
      workspace: { root: workspaceRoot },
      home: homedir(),
      userData,
      enabled: () => enabled,
      scanner: createScanner(workspaceRoot, { isProtected: () => false, isSecret: () => false }),
    }),
  })
  if (found.program !== undefined || !enabled) return jobs
  const startConfined: Jobs['startConfined'] = (request, signal) =>
    jobs.startConfined({ ...request, confinement: 'none' }, signal)
  return { ...jobs, unconfinedReason: async () => undefined, startConfined, filter: createTextFilter(startConfined) }
}
