import { expect, it } from 'vitest'
import { debuggerTable } from './debuggerTable.ts'
import { launchJsonSchema } from './launchSchema.ts'

interface Schema {
  properties: {
    configurations: {
      items: {
        properties: Record<string, { enum?: string[]; description?: string }>
        allOf: { if: { properties: { type: { enum: string[] } } }; then: { properties: Record<string, unknown> } }[]
      }
    }
  }
}
const { items } = (launchJsonSchema() as Schema).properties.configurations

it('the schema has all types of the table, and the attributes of each debugger', () => {
  expect(items.properties['type']?.enum).toEqual(debuggerTable.flatMap(({ types }) => types))
  for (const { types, attributes = {} } of debuggerTable) {
    const part = items.allOf.find((each) => each.if.properties.type.enum.join() === types.join())
    expect(part?.then.properties).toEqual(attributes)
  }
  expect(items.allOf.find((each) => each.if.properties.type.enum.includes('debugpy'))?.then.properties).toHaveProperty(
    'justMyCode',
  )
})

it('each common attribute has a description, and an attribute of a debugger does not repeat one', () => {
  for (const [name, { description }] of Object.entries(items.properties)) expect(description, name).toMatch(/\.$/)
  for (const { attributes = {} } of debuggerTable)
    for (const name of Object.keys(attributes)) expect(items.properties, name).not.toHaveProperty(name)
})
