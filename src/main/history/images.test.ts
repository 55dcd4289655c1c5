import { deflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createConversationStore } from './conversations.ts'
import { openDatabase } from './database.ts'
import { readImageInfo } from './imageInfo.ts'
import { createImages } from './images.ts'

/** The smallest files of their types, 1 × 1 pixel, as written by Chromium's encoders. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/wAALCAACAAMBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AKp//2Q==',
  'base64',
)
const webp = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64')

/** @param drawn rows in the file; a decompression bomb claims many more */
function png(width: number, height: number, drawn = height): Buffer {
  const chunk = (name: string, data: Buffer) => Buffer.concat([uint(data.length), Buffer.from(name), data, uint(0)])
  const uint = (value: number) => Buffer.from(Uint32Array.of(value).buffer).swap32()
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.concat([uint(width), uint(height), Buffer.from([8, 2, 0, 0, 0])])),
    chunk('IDAT', deflateSync(Buffer.alloc(drawn * (width * 3 + 1)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe("a picture's kind", () => {
  it('is read from its content, with its size', () => {
    expect(readImageInfo(png(3, 2))).toEqual({ mimeType: 'image/png', width: 3, height: 2 })
    expect(readImageInfo(gif)).toEqual({ mimeType: 'image/gif', width: 1, height: 1 })
    expect(readImageInfo(jpeg)).toEqual({ mimeType: 'image/jpeg', width: 3, height: 2 })
    expect(readImageInfo(webp)).toEqual({ mimeType: 'image/webp', width: 1, height: 1 })
  })

  it('is undefined for another file, or for a header without a picture', () => {
    expect(readImageInfo(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeUndefined()
    expect(readImageInfo(png(0, 2))).toBeUndefined()
    expect(readImageInfo(jpeg.subarray(0, 24))).toBeUndefined()
    expect(readImageInfo(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(100, 0xff)]))).toBeUndefined()
  })
})

describe('the pictures of conversations', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let db: Awaited<ReturnType<typeof openDatabase>>['db']
  beforeEach(async () => {
    folder = await temporaryFolder()
    db = (await openDatabase(folder.root)).db
  })
  afterEach(async () => {
    db.close()
    await folder.remove()
  })

  it('are stored once per content, within limits', () => {
    const images = createImages(db, { rows: 2, bytes: 1_000_000 })
    const first = images.add('a.png', png(3, 2))
    expect(images.add('b.png', png(3, 2)).id).toBe(first.id)
    expect(images.read(first.id)).toEqual({ mimeType: 'image/png', base64: png(3, 2).toString('base64') })
    images.add('c', png(4, 4))
    images.add('d', png(5, 5))
    expect(images.read(first.id)).toBeUndefined()
    expect(() => images.describe(first.id, 'a.png')).toThrow('no longer stored')
  })

  it('are rejected if they are not pictures, or too large', () => {
    const images = createImages(db)
    expect(() => images.add('a.svg', Buffer.from('<svg>'))).toThrow('not a supported image')
    expect(() => images.add('a.png', Buffer.concat([png(3, 2), Buffer.alloc(5 * 1024 * 1024)]))).toThrow(
      'more than the maximum of 4 MB',
    )
    expect(() => images.add('bomb.png', png(50_000, 50_000, 1))).toThrow('50000 × 50000 pixels')
  })

  it('of a conversation are deleted in one pass over the items, except those of other conversations', () => {
    const images = createImages(db)
    const pictures = Array.from({ length: 40 }, (_, index) => images.add(`${index}.png`, png(3 + index, 2)))
    const store = createConversationStore(db)
    store.save({ id: 'c', title: 'T', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' })
    store.saveItem('c', { id: 'u', kind: 'user', at: 1, text: 'see', attachments: pictures.slice(0, 1) })
    store.save({ id: 'd', title: 'T', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' })
    store.changeQueue('d', () => [{ id: 'q', text: 'and this', attachments: pictures.slice(1, 2) }])
    const plan = db.prepare('SELECT count(*) AS steps FROM images')
    const run = vi.spyOn(Object.getPrototypeOf(plan), 'run')
    images.release(pictures.map(({ id }) => id))
    expect(run).toHaveBeenCalledTimes(1)
    run.mockRestore()
    images.release([])
    expect(pictures.map(({ id }) => images.read(id) !== undefined)).toEqual(pictures.map((_, index) => index < 2))
  })

  it('are deleted when no conversation refers to them', () => {
    const images = createImages(db)
    const picture = images.add('a.png', png(3, 2))
    const store = createConversationStore(db)
    store.save({ id: 'c', title: 'T', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' })
    store.saveItem('c', { id: 'u', kind: 'user', at: 1, text: 'see', attachments: [picture] })
    images.release([picture.id])
    expect(images.read(picture.id)).toBeDefined()
    store.delete('c')
    images.release([picture.id])
    expect(images.read(picture.id)).toBeUndefined()
  })
})
