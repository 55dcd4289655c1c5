import { readdirSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import path from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { encodings, isUtf16, type Encoding } from '../../shared/files/encodings.ts'
import { ToolError } from '../../shared/errors.ts'
import { decodeOutput, decodeText, encodeText } from './textFormat.ts'
import { encodeBytes } from './textBytes.ts'

const code = 'static int value = 42; /* plain */\n'.repeat(30)

/** Comments as source files have them, by their encoding. */
const samples: readonly (readonly [Encoding, string])[] = [
  ['windows1252', '// Größe der Fläche\nint f(void);\n'],
  ['windows1252', '/* Vérifie que le paramètre est correct */\nvoid f() {}\n'],
  ['windows1252', '# é\n'],
  ['windows1252', 'price = "10 €" // “quoted” – dash\n'],
  ['gbk', '/* 中文注释 */\nint f();\n'],
  ['gbk', '这是一个简单的测试文件，用于检查编码。\n'],
  ['shiftjis', '// 初期化する\nint f();\n'],
  ['shiftjis', '/* 設定ファイル */\n'],
  ['eucjp', '// 初期化する\nint f();\n'],
  ['euckr', '// 초기화 함수\nint f();\n'],
  ['euckr', '/* 설정 */\n'],
  ['big5hkscs', '// 初始化網路連線\nint f();\n'],
  ['windows1251', '// Инициализация сети\nint f();\n'],
  ['windows1250', '# Zażółć gęślą jaźń\n'],
  ['windows1253', '// αρχικοποίηση\n'],
  ['utf16lenobom', 'naïve ☕\r\nline\r\n'],
  ['utf16benobom', 'naïve ☕\r\nline\r\n'],
  ['utf16lenobom', '这是一个\n'],
]

function bytesOf(text: string, encoding: Encoding): Buffer {
  const bytes = encodeBytes(text, encoding)
  if (!bytes) throw new Error(`${encoding} lacks a character.`)
  return bytes
}

describe('the encoding of a file without mark is detected', () => {
  it.each(samples)('%s: %j', (encoding, sample) => {
    for (const text of [sample, code + sample + code]) {
      const bytes = bytesOf(text, encoding)
      const decoded = decodeText(bytes, 'a.c')
      expect(decoded.format.encoding).toBe(encoding)
      expect(decoded.text).toBe(text.replaceAll('\r\n', '\n'))
      expect(encodeText(decoded.text, decoded.format, decoded).equals(bytes)).toBe(true)
    }
  })
})

/** Texts of a few bytes above 127, which say little of their language. */
const shortSamples: readonly (readonly [Encoding, string])[] = [
  ['windows1252', 'price “10 €” — naïve\n'],
  ['windows1252', 'naïve — “x”\n'],
  ['windows1252', '½ cup – £5\n'],
  ['windows1252', '© 2024 Café\n'],
  ['windows1252', '10 µs ± 5 °C\n'],
  ['windows1252', 'Intel® Core™\n'],
  ['windows1252', 'it’s “done”\n'],
  ['windows1252', '¿Qué?\n'],
  ['windows1252', 'Ångström über São Paulo\n'],
  ['windows1250', 'Łódź\n'],
  ['windows1250', 'są\n'],
  ['windows1250', 'příliš žluťoučký kůň\n'],
  ['windows1257', '# Ąžuolas šaltinis ėjo\n'],
  ['windows1257', 'ģimene, šķērsot ūdeni\n'],
  ['windows1257', 'simbolių\n'],
  ['windows1257', 'nodaļa\n'],
  ['iso88592', 'Zażółć gęślą\n'],
  ['windows1254', 'ağaç, çiçek, ışık\n'],
  ['gb18030', '// 你好 \u{20000}，世界\n'],
  ['gb18030', '\u{3400}中文\n'],
  ['shiftjis', 'ｱｲｳ テスト\n'],
  ['shiftjis', 'テスト\n'],
  ['eucjp', '日本語\n'],
  ['euckr', '안녕\n'],
  ['windows1251', 'Привет\n'],
  ['koi8u', 'Привіт, світ\n'],
  ['cp866', 'Привет, мир\n'],
  ['windows1253', 'Γειά σου\n'],
  ['windows1255', 'שלום\n'],
  ['windows1256', 'مرحبا\n'],
]

describe('the encoding of a short text is detected', () => {
  it.each(shortSamples)('%s: %j', (encoding, text) => {
    const decoded = decodeText(bytesOf(text, encoding), 'a.txt')
    expect([decoded.format.encoding, decoded.text]).toEqual([encoding, text])
  })
})

it('UTF-32 is refused and not read as UTF-16 full of NULs', () => {
  for (const encoding of ['utf-32le', 'utf-32be'])
    expect(() => decodeText(iconv.encode('hello\n', encoding, { addBOM: true }), 'a.txt')).toThrow('UTF-32')
})

it('every encoding writes back what it read', () => {
  for (const encoding of encodings) {
    const bytes = encodeText('name = 1\n', { encoding, eol: '\r\n' })
    const decoded = decodeText(bytes, 'a.txt', { chosen: encoding })
    expect([encoding, decoded.text]).toEqual([encoding, 'name = 1\n'])
    expect(decoded.format).toEqual({ encoding, eol: '\r\n' })
    expect(encodeText(decoded.text, decoded.format, decoded).equals(bytes)).toBe(true)
  }
})

it('any bytes are written back unchanged in any encoding that decodes them', () => {
  let seed = 7
  const random = (): number => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 16
  for (let round = 0; round < 40; round += 1) {
    const bytes = Buffer.from(Array.from({ length: 200 }, () => (random() % 4 === 0 ? 10 : 9 + (random() % 247))))
    for (const encoding of encodings.filter((each) => !isUtf16(each))) {
      const decoded = decodeText(Buffer.concat([Buffer.from('x'), bytes]), 'a.txt', { chosen: encoding })
      expect(encodeText(decoded.text, decoded.format, decoded).equals(Buffer.concat([Buffer.from('x'), bytes]))).toBe(
        true,
      )
    }
  }
})

describe('an edit', () => {
  it('changes the bytes of its line only, also beside bytes that are not valid', () => {
    const before = Buffer.concat([
      Buffer.from('α und ä, ö, ü, ß, é, è, ê, à, â, î, ô, û, ç, ñ, 日本語, これはテキスト\nbad: '),
      Buffer.from([0xe9, 0xff]),
      Buffer.from('\r\nlast\n'),
    ])
    const decoded = decodeText(before, 'a.txt')
    expect(decoded.format.encoding).toBe('utf8')
    const after = encodeText(decoded.text.replace('last', 'changed'), decoded.format, decoded)
    expect(after.toString('latin1')).toBe(before.toString('latin1').replace('last', 'changed'))
  })

  it('keeps the bytes of characters that the encoding writes otherwise', () => {
    // Shift JIS has ∵ twice; 0x81 0xE6 is the usual form.
    const before = Buffer.concat([
      bytesOf('日本語のテキストです\n', 'shiftjis'),
      Buffer.from([0x87, 0x9a, 0x0a]),
      bytesOf('終わり\n', 'shiftjis'),
    ])
    const decoded = decodeText(before, 'a.txt')
    expect(decoded.text).toBe('日本語のテキストです\n∵\n終わり\n')
    expect(
      encodeText(`${decoded.text}x\n`, decoded.format, decoded).equals(Buffer.concat([before, Buffer.from('x\n')])),
    ).toBe(true)
  })

  it('that adds a character which the encoding lacks is refused with the character and its line', () => {
    const decoded = decodeText(bytesOf('Größe\nFläche\n', 'windows1252'), 'a.txt')
    const failing = (): Buffer => encodeText(`${decoded.text}日\n`, decoded.format, decoded)
    expect(failing).toThrow(ToolError)
    expect(failing).toThrow(
      'Line 3 contains "日" (U+65E5), which cannot be encoded in Windows 1252, so nothing was written.',
    )
  })

  it('of a line with bytes that are not valid is refused, because it would lose them', () => {
    const before = Buffer.concat([
      Buffer.from('日本語のテキストです。これは長いテキストです\nbad '),
      Buffer.from([0xff, 0x0a]),
    ])
    const decoded = decodeText(before, 'a.txt')
    expect(() => encodeText(decoded.text.replace('bad', 'good'), decoded.format, decoded)).toThrow(
      'Line 2 contains bytes',
    )
  })
})

describe('what is known of a file', () => {
  it('decides between encodings that fit', () => {
    const bytes = bytesOf('// Größe\n', 'windows1252')
    expect(decodeText(bytes, 'a.c', { preferred: ['windows1250'] }).format.encoding).toBe('windows1250')
    expect(decodeText(bytes, 'a.c', { chosen: 'koi8r' }).text).toBe('// GrЖъe\n')
  })
  it('yields to UTF-8, to a byte order mark, and if it does not fit', () => {
    expect(decodeText(Buffer.from('Größe\n'), 'a.c', { preferred: ['gbk'] }).format.encoding).toBe('utf8')
    expect(decodeText(Buffer.from('\uFEFFa\n'), 'a.c', { chosen: 'gbk' }).format.encoding).toBe('utf8bom')
    expect(decodeText(bytesOf('# é\n', 'windows1252'), 'a.c', { preferred: ['gbk'] }).format.encoding).toBe(
      'windows1252',
    )
  })
  it('names the encoding of a text of ASCII', () => {
    expect(decodeText(Buffer.from('a\n'), 'a.c', { preferred: ['gbk'] }).format.encoding).toBe('gbk')
  })
})

it('output with lines in several encodings is shown as text', () => {
  const diff = Buffer.concat([Buffer.from('+naïve ☕\n'), bytesOf('-Größe\n', 'windows1252')])
  expect(decodeOutput(diff)).toBe('+naïve ☕\n-Größe\n')
})

describe('binary files stay binary', () => {
  const isText = (content: Buffer, name: string): boolean => {
    try {
      decodeText(content, name)
      return true
    } catch (error) {
      if (error instanceof ToolError && error.code === 'binary_file') return false
      throw error
    }
  }

  it('short pieces of compressed data, which have no NUL', () => {
    // Compressed data looks like random data: here 800 pieces of 96 bytes, the same in each run.
    const random = (seed: string): Buffer => createHash('sha256').update(seed).digest()
    const pieces = Array.from({ length: 800 }, (_, index) =>
      Buffer.concat(['a', 'b', 'c'].map((part) => random(`${index}${part}`))),
    ).filter((piece) => !piece.includes(0))
    expect(pieces.length).toBeGreaterThan(400)
    expect(pieces.filter((piece) => isText(piece, 'x'))).toEqual([])
  })

  it('UTF-16 is not seen in tables of small numbers', () => {
    expect(isText(Buffer.from(new Uint16Array(400).map((_, index) => index).buffer), 'x')).toBe(false)
    expect(isText(Buffer.from(new Float32Array(400).map((_, index) => index / 3).buffer), 'x')).toBe(false)
  })

  it('files of real formats in the dependencies', () => {
    const extensions = [
      '.node',
      '.wasm',
      '.png',
      '.woff',
      '.woff2',
      '.ttf',
      '.ico',
      '.gz',
      '.br',
      '.zip',
      '.icns',
      '.jpg',
      '.bcmap',
      '.pfb',
      '.pdf',
    ]
    const folder = path.join(import.meta.dirname, '../../../node_modules')
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && extensions.includes(path.extname(entry.name)),
    )
    expect(files.length).toBeGreaterThan(50)
    const taken = files.filter((entry) => {
      const content = readFileSync(path.join(entry.parentPath, entry.name))
      return isText(content.subarray(0, 200_000), entry.name)
    })
    expect(taken.map(({ name }) => name)).toEqual([])
  })
})

it('iconv knows every encoding', () => {
  for (const encoding of encodings)
    if (!encoding.startsWith('utf')) expect([encoding, iconv.encodingExists(encoding)]).toEqual([encoding, true])
})
