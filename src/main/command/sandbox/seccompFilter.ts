/*
 * A seccomp filter for sandboxed commands, as classic BPF (linux/filter.h). It refuses:
 * - `ioctl` with TIOCSTI and TIOCLINUX: a command could otherwise type into the terminal that it shares with its
 *   launcher. bubblewrap's `--new-session` would prevent it too, but takes the controlling terminal: no Ctrl+C and no
 *   job control.
 * - the kernel's key store, which has no namespaces.
 * Everything else is allowed; what a command can reach is limited by namespaces and mounts.
 */

interface SystemCalls {
  /** AUDIT_ARCH_* of linux/audit.h. */
  arch: number
  ioctl: number
  /** add_key, request_key, keyctl. */
  keys: readonly number[]
  /** Numbers from here on belong to another calling convention (x32), which is refused. */
  limit?: number
}

const x64: SystemCalls = { arch: 0xc000003e, ioctl: 16, keys: [248, 249, 250], limit: 0x40000000 }
/** 32-bit programs on x64. */
const ia32: SystemCalls = { arch: 0x40000003, ioctl: 54, keys: [286, 287, 288] }
const arm64: SystemCalls = { arch: 0xc00000b7, ioctl: 29, keys: [217, 218, 219] }
/** 32-bit programs on arm64. */
const arm: SystemCalls = { arch: 0x40000028, ioctl: 54, keys: [309, 310, 311] }

const tables: Partial<Record<NodeJS.Architecture, readonly SystemCalls[]>> = { x64: [x64, ia32], arm64: [arm64, arm] }

const tiocsti = 0x5412
const tioclinux = 0x541c

/** Opcodes: load a word of `struct seccomp_data`, jump if equal, jump if greater or equal, return. */
const opcode = { load: 0x20, equal: 0x15, atLeast: 0x35, return: 0x06 }
/** Offsets in `struct seccomp_data` (little endian). */
const offset = { number: 0, arch: 4, secondArgument: 24 }
const allow = 0x7fff0000
/** SECCOMP_RET_ERRNO with EPERM. */
const refuse = 0x00050001

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number]

/** Returns the filter for a processor architecture; undefined if its system call numbers are not known here. Pure. */
export function seccompFilter(arch: NodeJS.Architecture): Buffer | undefined {
  const systems = tables[arch]
  if (systems === undefined) return undefined
  const program: Instruction[] = [[opcode.load, 0, 0, offset.arch]]
  for (const system of systems) {
    const checks = checksOf(system)
    program.push([opcode.equal, 0, checks.length, system.arch], ...checks)
  }
  // An unknown architecture.
  program.push([opcode.return, 0, 0, refuse])
  return encode(program)
}

/** Checks of one architecture. Ends with a return. */
function checksOf({ ioctl, keys, limit }: SystemCalls): Instruction[] {
  const ret = (value: number): Instruction => [opcode.return, 0, 0, value]
  const refuseIf = (code: number, value: number): Instruction[] => [[code, 0, 1, value], ret(refuse)]
  const terminal: Instruction[] = [
    [opcode.load, 0, 0, offset.secondArgument],
    ...refuseIf(opcode.equal, tiocsti),
    ...refuseIf(opcode.equal, tioclinux),
    ret(allow),
  ]
  return [
    [opcode.load, 0, 0, offset.number],
    ...(limit === undefined ? [] : refuseIf(opcode.atLeast, limit)),
    ...keys.flatMap((key) => refuseIf(opcode.equal, key)),
    [opcode.equal, 0, terminal.length, ioctl],
    ...terminal,
    ret(allow),
  ]
}

/** Encodes instructions as `struct sock_filter`. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(jumpTrue, index * 8 + 2)
    bytes.writeUInt8(jumpFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}

/** Returns bytes as escapes of bash's printf. */
export function printfEscapes(bytes: Buffer): string {
  return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
