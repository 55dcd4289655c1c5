import { expect, test } from 'vitest'
import { bladeToolset } from '../tools/blade/bladeToolset.ts'
import { rustantToolset } from '../tools/rustant/rustantToolset.ts'
import { rustyToolset } from '../tools/rusty/rustyToolset.ts'
import { tizonaTools } from '../tools/tizona/tizonaTools.ts'
import { ultraSushiTronToolset } from '../tools/ultrasushitron/ultraSushiTronToolset.ts'

const own = { title: "Tizona's own", tools: tizonaTools }

// `scripts/docs.ts --check`, another check of `npm test`, runs each example through the executor.
test.each([bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset, own])(
  '$title has an example for each tool',
  ({ tools }) => {
    expect(tools.filter(({ examples }) => (examples ?? []).length === 0).map(({ name }) => name)).toEqual([])
  },
)
