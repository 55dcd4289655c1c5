import { z } from 'zod'
import { request, noParams, path, id } from '../requestType.ts'
import type { JobInfo } from './jobs.ts'
import type { FoundTest, Task } from './tasks.ts'

export const commandRequests = {
  /** Lists the tasks that the folder's files define. */
  'tasks.list': request<Task[]>()(() => noParams),
  /** Finds the tests in a file's text. */
  'tests.find': request<FoundTest[]>()(() => z.object({ path, text: z.string().max(4_000_000) })),
  'jobs.list': request<JobInfo[]>()(() => noParams),
  /** Returns the last 1 MiB of a job's output, including escape codes. */
  'jobs.output': request<string>()(() => z.object({ id })),
  'jobs.input': request<void>()(() => z.object({ id, data: z.string().max(1_000_000) })),
  'jobs.resize': request<void>()(() =>
    z.object({ id, columns: z.number().int().min(2).max(1000), rows: z.number().int().min(1).max(1000) }),
  ),
  'jobs.stop': request<void>()(() => z.object({ id })),
  'jobs.forget': request<void>()(() => z.object({ id })),
  /** Names a job. An empty name removes it. */
  'jobs.rename': request<void>()(() => z.object({ id, name: z.string().max(100) })),
  'terminal.open': request<JobInfo>()(() =>
    z.object({
      columns: z.number().int().min(2).max(1000),
      rows: z.number().int().min(1).max(1000),
      /** Folder in which the shell starts. Default: the workspace root. */
      folder: path.optional(),
    }),
  ),
} as const
