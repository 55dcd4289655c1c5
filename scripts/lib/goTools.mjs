// tsc and the type-aware lint rules are Go programs. By default they check with several threads, each of which derives
// the same types again, and collect garbage after each doubling of the heap.

/** Environment in which they use little processor time instead of little memory. */
export const goEnvironment = { GOMAXPROCS: '1', GOGC: '400' }

/** Arguments of tsc that check a project once. @param {string} project path of its tsconfig */
export const typecheckArguments = (project) => ['-p', project, '--checkers', '1']
