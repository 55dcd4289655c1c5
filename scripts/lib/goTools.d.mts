export const goEnvironment: Readonly<Record<string, string>>
export function typecheckArguments(project: string): string[]
