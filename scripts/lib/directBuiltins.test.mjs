import { expect, it } from 'vitest'
import { directBuiltins } from './directBuiltins.mjs'

it.each([
  ['import fs from "node:fs";', 'const fs = process.getBuiltinModule("node:fs");'],
  ['import * as fs from "node:fs";', 'const fs = process.getBuiltinModule("node:fs");'],
  [
    'import path, { join as j } from "node:path";',
    'const path = process.getBuiltinModule("node:path"), { join: j } = process.getBuiltinModule("node:path");',
  ],
  [
    'import{default as os,homedir}from"node:os";',
    'const os = process.getBuiltinModule("node:os"), { homedir: homedir } = process.getBuiltinModule("node:os");',
  ],
  ['import "node:fs";', 'process.getBuiltinModule("node:fs");'],
])('%s', async (code, expected) => {
  expect(await directBuiltins(code)).toBe(expected)
})

it('leaves other imports, and text that looks like one', async () => {
  const code =
    'import { z } from "zod";\nconst text = `\nimport fs from "node:fs";\n`;\nconst late = import("node:fs");'
  expect(await directBuiltins(code)).toBe(code)
})
