import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { auditDeciders, auditVerdicts, type AuditEntry, type AuditLog } from '../../shared/tools/audit.ts'
import { toFailure } from '../../shared/errors.ts'
import { modes, risks } from '../../shared/tools/risk.ts'
import { createAppendQueue, rotatedPath } from '../base/appendQueue.ts'
import { errorCode } from '../base/fileErrors.ts'
import { redact } from '../base/log/redact.ts'
import { truncate } from '../../shared/text/truncate.ts'

/** Records decisions about tool calls in append-only files. */
export interface AuditWriter {
  /** Records a decision. Never fails and never waits. Reports once if the file cannot be written. */
  record(entry: AuditEntry): void
  /** Returns the latest decisions. */
  read(): Promise<AuditLog>
  /** Resolves when every decision so far is on disk. */
  flush(): Promise<void>
}

export interface AuditOptions {
  /** Bytes after which a new file begins. */
  maxBytes?: number
  /** Number of files, the current one included. */
  maxFiles?: number
  onProblem(message: string): void
}

/** Maximum characters of a text in an entry. */
const maxText = 4000
/** Maximum number of paths in an entry. */
const maxPaths = 50
/** Maximum number of returned entries. */
const maxEntries = 2000

const commandSandbox = z.union([
  z.object({ sandboxed: z.literal(true), network: z.boolean() }),
  z.object({ sandboxed: z.literal(false), reason: z.string() }),
])
const entrySchema: z.ZodType<AuditEntry> = z.object({
  at: z.number(),
  verdict: z.enum(auditVerdicts),
  by: z.enum(auditDeciders),
  tool: z.string(),
  risk: z.enum(risks),
  mode: z.enum(modes),
  conversationId: z.string().optional(),
  callId: z.string(),
  client: z.enum(['window', 'commandLine', 'mcp', 'agent']),
  workspace: z.string().optional(),
  command: z.string().optional(),
  cwd: z.string().optional(),
  sandbox: commandSandbox.optional(),
  reads: z.array(z.string()).optional(),
  writes: z.array(z.string()).optional(),
  scope: z.string().optional(),
  rule: z.string().optional(),
  source: z.string().optional(),
  reason: z.string().optional(),
})

/**
 * Opens `audit/audit.jsonl` in the user data folder: one JSON object per line. Older lines are in `audit.1.jsonl` and
 * so on.
 */
export function openAuditLog(
  userData: string,
  { maxBytes = 2_000_000, maxFiles = 5, onProblem }: AuditOptions,
): AuditWriter {
  const path = join(userData, 'audit', 'audit.jsonl')
  let failed = false
  const queue = createAppendQueue({
    path,
    maxBytes,
    maxFiles,
    onWritten() {
      failed = false
    },
    onFailed(error) {
      if (!failed) onProblem(`Approval decisions cannot be recorded in ${path}. ${toFailure(error).message}`)
      failed = true
    },
  })

  return {
    // A read that the mode allows has no effects, and the model's next request waits for it.
    record: (entry) =>
      queue.push(`${JSON.stringify(cleaned(entry))}\n`, !(entry.risk === 'read' && entry.by === 'mode')),
    async read() {
      await queue.flush()
      const entries: AuditEntry[] = []
      let more = false
      for (let index = 0; index < maxFiles && !more; index++) {
        const lines = await readLines(rotatedPath(path, index))
        for (const line of lines.toReversed()) {
          const entry = parseLine(line)
          if (entry && entries.length === maxEntries) more = true
          else if (entry) entries.push(entry)
        }
      }
      return { path, entries, truncated: more }
    },
    flush: queue.flush,
  }
}

/** Removes API keys and limits the length. */
function cleaned(entry: AuditEntry): AuditEntry {
  const text = (value: string | undefined) => {
    if (value === undefined) return undefined
    const clean = redact(value.slice(0, 2 * maxText))
    return truncate(clean, maxText)
  }
  const paths = (values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? undefined : values.slice(0, maxPaths).map((value) => redact(value))
  return {
    ...entry,
    command: text(entry.command),
    rule: text(entry.rule),
    reason: text(entry.reason),
    scope: text(entry.scope),
    source: text(entry.source),
    reads: paths(entry.reads),
    writes: paths(entry.writes),
  }
}

async function readLines(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Returns undefined for a damaged line, for example the last one before a crash. */
function parseLine(line: string): AuditEntry | undefined {
  try {
    const parsed = entrySchema.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
