import { expect, it } from 'vitest'
import { cellEditors } from './cellEditors.ts'

it('cells of two views with the same key have editors of their own', () => {
  const views = [document.createElement('div'), document.createElement('div')]
  const [first, second] = views.map((view) => {
    const host = view.appendChild(document.createElement('div'))
    return { getContainerDomNode: () => host } as never
  })
  if (first === undefined || second === undefined) throw new Error('There are two views.')
  cellEditors.add('id-a', first)
  cellEditors.add('id-a', second)
  expect(views.map((view) => cellEditors.get('id-a', view))).toEqual([first, second])
  cellEditors.delete('id-a', second)
  expect(cellEditors.get('id-a', views[0] ?? null)).toBe(first)
  expect(cellEditors.get('id-a', views[1] ?? null)).toBeUndefined()
})
