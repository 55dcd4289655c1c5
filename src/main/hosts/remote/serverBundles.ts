import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'

const manifestSchema = z.object({
  /** Version of Tizona and a hash of the files. */
  build: z.string().regex(/^[\w.-]{1,100}$/),
  file: z.string().regex(/^[\w.-]{1,100}$/),
  size: z.number().int().positive(),
  sha256: z.string().regex(/^[a-f\d]{64}$/),
  /** The oldest glibc on which its programs run, such as "2.28". */
  glibc: z.string().regex(/^\d+\.\d+$/),
})

/** The server for one kind of machine, as an archive that this installation has. */
export interface ServerBundle extends z.output<typeof manifestSchema> {
  /** The archive on this machine. */
  path: string
  read(): AsyncIterable<Uint8Array>
}

/** What a host has said about itself. */
export interface HostFacts {
  /** `uname -s` */
  system: string
  /** `uname -m` */
  machine: string
  /** What `getconf` and `ldd` say about the C library. */
  library: string
}

const architectures: Record<string, string> = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64', arm64: 'arm64' }

/**
 * Returns the bundle for a host.
 * @param folder folder of the bundles (scripts/serverBundle.mjs)
 * @throws ToolError if the host cannot run one, or this installation has none for it
 */
export async function bundleFor(folder: string, label: string, facts: HostFacts): Promise<ServerBundle> {
  const { system, machine, library } = facts
  const architecture = architectures[machine]
  if (system !== 'Linux' || architecture === undefined)
    throw new ToolError(
      'refused',
      `${label} runs ${system || 'an unknown system'} on ${machine || 'an unknown processor'}.`,
      'The server of Tizona runs on Linux with an x64 or arm64 processor.',
    )
  const manifest = await readManifest(folder, architecture)
  const glibc = /(?:glibc|GNU libc|GLIBC)\D{0,40}(\d{1,3}\.\d{1,3})/.exec(library)?.[1]
  if (glibc === undefined && /musl/i.test(library))
    throw new ToolError(
      'refused',
      `${label} has the C library musl, as Alpine Linux does. Node and the other programs of the server need glibc.`,
      `Use a distribution with glibc ${manifest.glibc} or later, such as Debian, Ubuntu or Fedora.`,
    )
  if (glibc !== undefined && compareVersions(glibc, manifest.glibc) < 0)
    throw new ToolError(
      'refused',
      `${label} has glibc ${glibc}. The server of Tizona needs ${manifest.glibc} or later.`,
      'Use a newer release of the distribution.',
    )
  const path = join(folder, manifest.file)
  return { ...manifest, path, read: () => createReadStream(path) }
}

async function readManifest(folder: string, architecture: string): Promise<z.output<typeof manifestSchema>> {
  const name = `server-linux-${architecture}.json`
  try {
    return manifestSchema.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))
  } catch (error) {
    throw new ToolError(
      'not_found',
      `This installation of Tizona has no server for Linux on ${architecture} (${join(folder, name)}).`,
      'Install a release of Tizona, which has one. In a clone, run: node scripts/serverBundle.mjs',
      { cause: error },
    )
  }
}

/** Compares versions of two numbers. */
function compareVersions(a: string, b: string): number {
  const [major = 0, minor = 0] = a.split('.').map(Number)
  const [otherMajor = 0, otherMinor = 0] = b.split('.').map(Number)
  return major - otherMajor || minor - otherMinor
}
