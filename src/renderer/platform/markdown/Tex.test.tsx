import { cleanup, render, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Markdown } from './Markdown.tsx'

// KaTeX refuses documents in quirks mode, which is what the DOM of the tests claims to be.
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' })
// The first import takes seconds on a busy machine.
beforeAll(() => import('katex'))
// Without an observer, formulas are drawn at once.
beforeEach(() => vi.stubGlobal('IntersectionObserver', undefined))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** The sources of the formulas in a text, with `block:` before those on lines of their own. */
async function formulas(text: string): Promise<string[]> {
  const { container } = render(<Markdown text={text} streaming={false} />)
  const found = [...container.querySelectorAll('.markdown-tex')]
  if (found.length > 0) await waitFor(() => expect(container.querySelector('.katex')).not.toBe(null))
  const sources = found.map((each) => {
    const source = each.querySelector('annotation')?.textContent ?? each.textContent ?? ''
    return each.classList.contains('markdown-tex-display') ? `block:${source}` : source
  })
  cleanup()
  return sources
}

describe('formulas', () => {
  it('are found in all forms that people and models write', async () => {
    expect(await formulas('Let $a_1 * b_2 * c$ and $$x^2$$.')).toEqual(['a_1 * b_2 * c', 'block:x^2'])
    expect(await formulas('Let \\(\\alpha\\{x\\}\\) and \\[\n\\frac{1}{2}\n\\]')).toEqual([
      '\\alpha\\{x\\}',
      'block:\\frac{1}{2}',
    ])
    expect(await formulas('$$\n\\sum_i x_i\n$$\n\n```math\ny = 1\n```')).toEqual(['block:\\sum_i x_i', 'block:y = 1'])
    expect(await formulas('A $\\text{cost: \\$5}$.')).toEqual(['\\text{cost: \\$5}'])
  })

  it('are not found in prices, variables of a shell and code', async () => {
    for (const text of [
      'From $5 to $10.',
      'It costs 5$ or 10$.',
      'Set $HOME and $PATH, or $HOME/bin:$PATH.',
      'US$5-$10, `$x$` and \\$x\\$.',
      'An open $x without an end, and \\(too.',
      '```sh\necho $a $b$\n```',
    ])
      expect(await formulas(text), text).toEqual([])
  })

  it('have no links, images and styles of their own, and show their source if they are broken', async () => {
    const { container } = render(
      <Markdown text={'$\\href{https://evil.example}{x}$ and $\\frac{1$ and $y$'} streaming={false} />,
    )
    await waitFor(() => expect(container.querySelectorAll('.katex').length).toBeGreaterThan(0))
    expect(container.querySelector('a, img')).toBe(null)
    const broken = [...container.querySelectorAll('.markdown-tex-broken')]
    expect(broken.map(({ textContent }) => textContent)).toContain('\\frac{1')
    expect(broken.at(-1)?.getAttribute('title')).toContain('KaTeX parse error')
  })
})
