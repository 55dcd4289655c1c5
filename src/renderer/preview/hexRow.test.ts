import { expect, it } from 'vitest'
import { hexRow } from './hexRow.ts'

it('shows the offset in the file, the bytes and their characters', () => {
  const bytes = Uint8Array.from([...Array(16).fill(0), 0x41, 0x7f, 0xff, 0x20])
  expect(hexRow(bytes, 1, 0x100000)).toEqual({ offset: '00100010', hex: '41 7f ff 20', text: 'A.. ' })
})
