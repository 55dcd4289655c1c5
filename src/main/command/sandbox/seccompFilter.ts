/*
 * A seccomp filter for sandboxed commands, as classic BPF (linux/filter.h). It blocks what namespaces and mounts leave
 * open:
 * - `ioctl` with TIOCSTI and TIOCLINUX: a command could otherwise type into the terminal that it shares with its
 *   launcher. bubblewrap's `--new-session` would prevent it too, but takes away the controlling terminal: no Ctrl+C and
 *   no job control.
 * - Socket families other than UNIX, internet and routing information. The others, such as AF_VSOCK, reach devices or
 *   the host of a virtual machine and have no namespaces, or are rarely used parts of the kernel.
 * - New namespaces, in which a command would have all capabilities and could reach most of the kernel.
 * - io_uring, which could create sockets past the filter.
 * - The key store, which has no namespaces, and interfaces for programs in the kernel.
 */

interface SystemCalls {
  /** AUDIT_ARCH_* of linux/audit.h. */
  arch: number
  ioctl: number
  /** `socket` and `socketpair`. */
  sockets: readonly number[]
  /** Its first argument selects a socket call; the others are in memory, which a filter cannot read. */
  socketcall?: number
  clone: number
  unshare: number
  /** add_key, request_key, keyctl, setns, bpf, perf_event_open, userfaultfd. */
  refused: readonly number[]
  /** Numbers from here on belong to another calling convention (x32), which is refused. */
  limit?: number
}

const x64: SystemCalls = {
  arch: 0xc000003e,
  ioctl: 16,
  sockets: [41, 53],
  clone: 56,
  unshare: 272,
  refused: [248, 249, 250, 308, 321, 298, 323],
  limit: 0x40000000,
}
/** 32-bit programs on x64. */
const ia32: SystemCalls = {
  arch: 0x40000003,
  ioctl: 54,
  sockets: [359, 360],
  socketcall: 102,
  clone: 120,
  unshare: 310,
  refused: [286, 287, 288, 346, 357, 336, 374],
}
const arm64: SystemCalls = {
  arch: 0xc00000b7,
  ioctl: 29,
  sockets: [198, 199],
  clone: 220,
  unshare: 97,
  refused: [217, 218, 219, 268, 280, 241, 282],
}
/** 32-bit programs on arm64. */
const arm: SystemCalls = {
  arch: 0x40000028,
  ioctl: 54,
  sockets: [281, 288],
  clone: 120,
  unshare: 337,
  refused: [309, 310, 311, 375, 386, 364, 388],
}

const tables: Partial<Record<NodeJS.Architecture, readonly SystemCalls[]>> = { x64: [x64, ia32], arm64: [arm64, arm] }

/**
 * Calls that fail as on a kernel without them, so that programs fall back. The arguments of clone3 are in memory; libc
 * falls back to clone. io_uring_setup, io_uring_enter, io_uring_register. The numbers are the same on all
 * architectures.
 */
const missing = [435, 425, 426, 427]

const tiocsti = 0x5412
const tioclinux = 0x541c
/** AF_UNIX, AF_INET, AF_INET6. */
const families = [1, 2, 10]
const netlink = 16
/** The calls of `socketcall` that create sockets: SYS_SOCKET, SYS_SOCKETPAIR. */
const socketcalls = [1, 8]
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const newNamespaces = 0x7e020000
/** CLONE_NEWTIME, which is part of the signal number for `clone`. */
const newTime = 0x80

/** Opcodes: load a word of `struct seccomp_data`, jump if equal, if greater or equal, if a bit is set, return. */
const opcode = { load: 0x20, equal: 0x15, atLeast: 0x35, anyBit: 0x45, return: 0x06 }
/** Offsets in `struct seccomp_data`: of arguments, the lower half (little endian). */
const offset = { number: 0, arch: 4, argument: (index: number) => 16 + 8 * index }
const allow = 0x7fff0000
/** SECCOMP_RET_ERRNO with EPERM, ENOSYS and EAFNOSUPPORT. */
const refuse = 0x00050001
const unknownCall = 0x00050026
const unknownFamily = 0x00050061

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number]

/** Returns the filter for a processor architecture; undefined if its system call numbers are unknown. */
export function seccompFilter(arch: NodeJS.Architecture): Buffer | undefined {
  const systems = tables[arch]
  if (systems === undefined) return undefined
  const program: Instruction[] = [[opcode.load, 0, 0, offset.arch]]
  for (const system of systems) {
    const checks = checksOf(system)
    program.push([opcode.equal, 0, checks.length, system.arch], ...checks)
  }
  // An unknown architecture.
  program.push(result(refuse))
  return encode(program)
}

/** Checks for one architecture. Ends with a return. */
function checksOf(calls: SystemCalls): Instruction[] {
  const { ioctl, sockets, socketcall, clone, unshare, refused, limit } = calls
  return [
    [opcode.load, 0, 0, offset.number],
    ...(limit === undefined ? [] : when(opcode.atLeast, limit, [result(refuse)])),
    ...refused.flatMap((call) => when(opcode.equal, call, [result(refuse)])),
    ...missing.flatMap((call) => when(opcode.equal, call, [result(unknownCall)])),
    ...when(opcode.equal, ioctl, refuseIf(1, opcode.equal, [tiocsti, tioclinux], refuse)),
    ...when(opcode.equal, clone, refuseIf(0, opcode.anyBit, [newNamespaces], refuse)),
    ...when(opcode.equal, unshare, refuseIf(0, opcode.anyBit, [newNamespaces | newTime], refuse)),
    ...sockets.flatMap((call) => when(opcode.equal, call, socketChecks())),
    ...(socketcall === undefined
      ? []
      : when(opcode.equal, socketcall, refuseIf(0, opcode.equal, socketcalls, unknownFamily))),
    result(allow),
  ]
}

/** Allows the families; for netlink, only NETLINK_ROUTE, which libc uses to list network interfaces. */
function socketChecks(): Instruction[] {
  return [
    [opcode.load, 0, 0, offset.argument(0)],
    ...families.flatMap((family) => when(opcode.equal, family, [result(allow)])),
    ...when(opcode.equal, netlink, [
      [opcode.load, 0, 0, offset.argument(2)],
      ...when(opcode.equal, 0, [result(allow)]),
      result(unknownFamily),
    ]),
    result(unknownFamily),
  ]
}

/** Refuses a call if its argument equals one of the values or has one of the bits. */
function refuseIf(argument: number, code: number, values: readonly number[], refusal: number): Instruction[] {
  return [
    [opcode.load, 0, 0, offset.argument(argument)],
    ...values.flatMap((value) => when(code, value, [result(refusal)])),
    result(allow),
  ]
}

/** Runs instructions, which end with a return, if the loaded word matches. */
function when(code: number, value: number, instructions: readonly Instruction[]): Instruction[] {
  return [[code, 0, instructions.length, value], ...instructions]
}

function result(value: number): Instruction {
  return [opcode.return, 0, 0, value]
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

/** Returns bytes as escapes for bash's printf. */
export function printfEscapes(bytes: Buffer): string {
  return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
