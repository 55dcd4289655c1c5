import { destructiveReasons } from '../../command/destructive.ts'
import { parseShellLine } from '../../command/shellParse.ts'
import { readShellLine } from '../../command/shellReading.ts'
import { createCommandExaminer, type ExamineCommand, type ExaminerDeps } from '../commandExamination.ts'
import { shippedPlaceRules } from '../placeRules.ts'

/** An examiner with the real parser. Without `programs` no command is read-only, so that modes and grants decide. */
export function testExaminer(deps: Partial<ExaminerDeps> = {}): ExamineCommand {
  return createCommandExaminer({
    parse: parseShellLine,
    read: readShellLine,
    losses: destructiveReasons,
    places: () => shippedPlaceRules,
    rules: () => [],
    folders: () => ({ all: [], own: [] }),
    isTrusted: () => false,
    ...deps,
  })
}
