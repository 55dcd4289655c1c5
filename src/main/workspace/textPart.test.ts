import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { encodeBytes } from '../base/textBytes.ts'
import { decodeText } from '../base/textFormat.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { readTextPart } from './textPart.ts'

it.each(['utf8', 'windows1252', 'utf16lenobom', 'utf16benobom'] as const)(
  'the parts of a large text in %s are its lines, each once',
  async (encoding) => {
    const { root, remove } = await temporaryFolder()
    const file = path.join(root, 'big.txt')
    const short = Array.from({ length: 120_000 }, (_, index) => `${index}: Größe\r\n`).join('')
    const text = `${short}${'x'.repeat(3_000_000)}\r\n${short}`
    await writeFile(file, encodeBytes(text, encoding) ?? '')
    const first = await readTextPart(file, 'big.txt', 0, { decode: decodeText })
    expect(first.encoding).toBe(encoding)
    const parts = [first.text]
    for (let part = 1; part < first.parts; part += 1)
      parts.push((await readTextPart(file, 'big.txt', part, { decode: decodeText })).text)
    expect(parts.join('') === text.replaceAll('\r\n', '\n')).toBe(true)
    expect(parts.slice(1, 2).every((part) => /^\d+: /.test(part))).toBe(true)
    await remove()
  },
)
