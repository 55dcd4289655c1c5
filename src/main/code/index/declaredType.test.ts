import { expect, test } from 'vitest'
import { parseDeclaredValue, parseNamedType } from './declaredType.ts'

test.each([
  ['Store', 'Store'],
  ['core.Store<Item, Other>', 'core.Store'],
  ['Promise<Store | null>', 'Store'],
  ['undefined | Store', 'Store'],
  ["&'a mut crate::Store", 'crate.Store'],
  ['Optional[Store]', 'Store'],
  ["'Store'", 'Store'],
  ['Map<string, () => void>', 'Map'],
])('type %s has the members of %s', (annotation, named) => {
  expect(parseNamedType(annotation)).toBe(named)
})

test.each(['Store[]', 'Store | Other', '() => Store', '{ store: Store }', 'A<B> & C<D>', 'list[Store]', ''])(
  'type %s has no members',
  (annotation) => {
    expect(parseNamedType(annotation)).toBeNull()
  },
)

test.each([
  ['function open(path: string): Promise<Store>', 'open', true, { type: 'Store' }],
  ['def open(path: str) -> Store', 'open', true, { type: 'Store' }],
  ['pub fn open(path: &str) -> Store where T: Copy', 'open', true, { type: 'Store' }],
  ['open = (path: string): Store', 'open', true, { type: 'Store' }],
  ['function open(path: (name: string) => Other)', 'open', true, null],
  ['private readonly store?: Store = make()', 'store', false, { type: 'Store' }],
  ['store = new Store(1)', 'store', false, { type: 'Store' }],
  ['store = await parts.open(folder)', 'store', false, { origin: 'parts.open()' }],
  ['store = open(folder).first', 'store', false, null],
  ['store = open(a, (b…', 'store', false, null],
  ['type Alias<T> = Store<T>', 'Alias', false, { type: 'Store' }],
  ['restore: Other', 'store', false, null],
] as const)('the signature "%s" declares the type of %s', (signature, name, callable, declared) => {
  expect(parseDeclaredValue(signature, name, callable)).toEqual(declared)
})
