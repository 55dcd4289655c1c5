import { expect, it } from 'vitest'
import type { CallHierarchy, CallHierarchyItem } from '../../shared/language/codeNavigation.ts'
import { callRows, newTree, targetOf, withCalls, withState, type CallTree } from './callTree.ts'

const range = (startLine: number) => ({ startLine, startColumn: 2, endLine: startLine, endColumn: 4 })
const item = (name: string, line: number, changes: Partial<CallHierarchyItem> = {}): CallHierarchyItem => ({
  name,
  kind: 'function',
  detail: '',
  path: 'a.ts',
  range: range(line),
  ...changes,
})
const calledBy = (...items: CallHierarchyItem[]): CallHierarchy => ({
  item: item('f', 1),
  calls: items.map((each) => ({ item: each, ranges: [range(70), range(71)], certain: true })),
  more: 0,
})
const shown = (tree: CallTree) =>
  callRows(tree).map(({ node, depth }) => `${' '.repeat(depth)}${node.item.name} ${node.state}`)

it('shows the calls of a function below it, and those of an expanded one below that', () => {
  const tree = newTree(calledBy(item('g', 5), item('h', 9)))
  expect(shown(tree)).toEqual(['f open', ' g folded', ' h folded'])
  const more = withCalls(tree, '0.0', calledBy(item('i', 12)))
  expect(shown(more)).toEqual(['f open', ' g open', '  i folded', ' h folded'])
  expect(shown(withState(more, '0.0', 'folded'))).toEqual(['f open', ' g folded', ' h folded'])
  expect(shown(withCalls(tree, '0.1', calledBy()))).toEqual(['f open', ' g folded', ' h leaf'])
})

it('a function that is above in the tree is not expanded again, so that circles end', () => {
  const tree = withCalls(newTree(calledBy(item('g', 5))), '0.0', calledBy(item('g', 5), item('f', 1), item('f', 30)))
  expect(shown(tree)).toEqual(['f open', ' g open', '  g repeated', '  f repeated', '  f folded'])
})

it('files and functions of libraries have nothing below them', () => {
  const tree = newTree(calledBy(item('a.ts', 1, { kind: 'module', path: 'b.ts' }), item('trim', 4, { library: 'l' })))
  expect(shown(tree)).toEqual(['f open', ' a.ts leaf', ' trim leaf'])
})

it('leads to the first call of a caller, and to a called function', () => {
  const caller = newTree(calledBy(item('g', 5))).get('0.0')
  if (!caller) return expect.unreachable()
  expect(targetOf(caller, 'incoming')).toEqual({ line: 70, column: 2 })
  expect(targetOf(caller, 'outgoing')).toEqual({ line: 5, column: 2 })
})
