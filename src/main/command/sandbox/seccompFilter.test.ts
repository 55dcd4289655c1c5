import { expect, it } from 'vitest'
import { seccompFilter } from './seccompFilter.ts'

const architectures = { x64: 0xc000003e, ia32: 0x40000003, arm64: 0xc00000b7, arm: 0x40000028 }

/** Returns what the filter answers a system call: `allow`, or the number of the error. */
function answer(arch: NodeJS.Architecture, convention: number, call: number, ...args: number[]): number | 'allow' {
  const filter = seccompFilter(arch) ?? Buffer.alloc(0)
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call, 0)
  data.writeUInt32LE(convention, 4)
  // The upper halves, which the kernel ignores in these arguments, are set.
  for (let index = 0; index < 6; index++) {
    data.writeUInt32LE(args[index] ?? 0, 16 + index * 8)
    data.writeUInt32LE(0xffffffff, 20 + index * 8)
  }
  let word = 0
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at)
    const value = filter.readUInt32LE(at + 4)
    if (code === 0x06) return value === 0x7fff0000 ? 'allow' : value & 0xffff
    if (code === 0x20) word = data.readUInt32LE(value)
    else {
      const holds = code === 0x15 ? word === value : code === 0x35 ? word >= value : (word & value) !== 0
      at += filter.readUInt8(at + (holds ? 2 : 3)) * 8
    }
  }
  throw new Error('The filter has no end.')
}

const eperm = 1
const enosys = 38
const eafnosupport = 97

it.each([
  ['x64', architectures.x64, { socket: 41, socketpair: 53, clone: 56, unshare: 272, setns: 308, ioctl: 16 }],
  ['x64', architectures.ia32, { socket: 359, socketpair: 360, clone: 120, unshare: 310, setns: 346, ioctl: 54 }],
  ['arm64', architectures.arm64, { socket: 198, socketpair: 199, clone: 220, unshare: 97, setns: 268, ioctl: 29 }],
  ['arm64', architectures.arm, { socket: 281, socketpair: 288, clone: 120, unshare: 337, setns: 375, ioctl: 54 }],
] as const)('the filter for %s checks the convention %i', (arch, convention, calls) => {
  const filtered = (call: number, ...args: number[]) => answer(arch, convention, call, ...args)
  for (const call of [calls.socket, calls.socketpair]) {
    const families = Array.from({ length: 64 }, (_, family) => family).filter(
      (each) => filtered(call, each, 1) === 'allow',
    )
    expect(families).toEqual([1, 2, 10, 16])
    expect(filtered(call, 40, 1)).toBe(eafnosupport)
    expect([0, 4, 9, 12, 16].map((protocol) => filtered(call, 16, 3, protocol))).toEqual([
      'allow',
      ...Array.from({ length: 4 }, () => eafnosupport),
    ])
  }
  // What glibc passes for fork and for a thread.
  expect([0x1200011, 0x3d0f00, 0x11].map((flags) => filtered(calls.clone, flags))).toEqual(['allow', 'allow', 'allow'])
  const flags = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]
  for (const flag of flags) {
    expect(filtered(calls.clone, flag | 0x11)).toBe(eperm)
    expect(filtered(calls.unshare, flag)).toBe(eperm)
  }
  expect([filtered(calls.unshare, 0x80), filtered(calls.unshare, 0x600)]).toEqual([eperm, 'allow'])
  expect([filtered(calls.setns, 3, 0), filtered(435), filtered(425)]).toEqual([eperm, enosys, enosys])
  expect([filtered(calls.ioctl, 0, 0x5412), filtered(calls.ioctl, 0, 0x5401)]).toEqual([eperm, 'allow'])
})

it('32-bit programs on x64 cannot create sockets through socketcall, whose arguments are in memory', () => {
  const socketcall = (call: number) => answer('x64', architectures.ia32, 102, call)
  expect([socketcall(1), socketcall(8), socketcall(3)]).toEqual([eafnosupport, eafnosupport, 'allow'])
})

it('other conventions are refused', () => {
  expect(answer('x64', architectures.x64, 0x40000000 + 41, 1)).toBe(eperm)
  expect(answer('x64', architectures.arm, 1)).toBe(eperm)
  expect(seccompFilter('mips')).toBeUndefined()
})
