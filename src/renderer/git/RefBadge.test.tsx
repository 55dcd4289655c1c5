import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { RefBadge } from './RefBadge.tsx'

afterEach(cleanup)

it('truncates only the name of a long branch, and shows it in full as its tooltip', () => {
  const name = 'feature/a-very-long-branch-name-for-the-authentication-rework'
  render(<RefBadge gitRef={{ kind: 'branch', name, head: false }} />)
  const badge = screen.getByTitle(name)
  expect(badge.querySelector('.git-ref-name')?.textContent).toBe(name)
})
